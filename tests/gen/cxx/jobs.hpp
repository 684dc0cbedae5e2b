/* Jobs by urgency: the most urgent one is taken first.
 * bug: take looks at the first job and removes the first job under two locks: one may be lost,
 * another be done twice.
 * kind: result */
#pragma once
#include <cstddef>
#include <mutex>
#include <optional>
#include <queue>
#include <string>
#include <utility>

template <class T> class JobQueue {
public:
    using Job = std::pair<int, T>;

    void add(int urgency, const T &job)
    {
        std::lock_guard<std::mutex> guard(lock);
        jobs.emplace(urgency, job);
    }
    std::optional<T> take()
    {
        std::unique_lock<std::mutex> guard(lock);
        if (jobs.empty())
            return std::nullopt;
        T first = jobs.top().second;
#ifndef FIXED
        guard.unlock(); // bug
        guard.lock();
        if (jobs.empty())
            return first;
#endif
        jobs.pop();
        return first;
    }
    std::size_t size() const
    {
        std::lock_guard<std::mutex> guard(lock);
        return jobs.size();
    }

private:
    mutable std::mutex lock;
    std::priority_queue<Job> jobs;
};

using Jobs = JobQueue<std::string>;
