/* Tasks by urgency; the most urgent one can be looked at and done.
 * bug: finish takes away what is at the top after it gave the lock away: another task.
 * kind: result */
#pragma once
#include <mutex>
#include <optional>
#include <queue>

class Agenda {
public:
    void add(unsigned urgency)
    {
        std::lock_guard<std::mutex> guard(lock);
        tasks.push(urgency);
    }
    // The task that was done, if there was one.
    std::optional<unsigned> finish()
    {
        std::unique_lock<std::mutex> guard(lock);
        if (tasks.empty())
            return std::nullopt;
        unsigned urgency = tasks.top();
#ifndef FIXED
        guard.unlock(); // bug
        guard.lock();
        if (tasks.empty())
            return urgency;
#endif
        tasks.pop();
        return urgency;
    }
    size_t left() const
    {
        std::lock_guard<std::mutex> guard(lock);
        return tasks.size();
    }

private:
    mutable std::mutex lock;
    std::priority_queue<unsigned> tasks;
};
