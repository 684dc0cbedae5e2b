/* A number that can be set, and set back.
 * bug: undo looks whether there is something to undo before it takes the lock: two of them take out the same last entry.
 * kind: heap */
#pragma once
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

class History {
public:
    void set(int value)
    {
        std::lock_guard<std::mutex> hold(lock);
        auto entry = std::make_unique<int>(now);
        past.push_back(std::move(entry));
        depth = (int)past.size();
        now = value;
    }
    bool undo()
    {
#ifdef FIXED
        std::lock_guard<std::mutex> hold(lock);
        if (!depth)
            return false;
#else
        if (!depth)
            return false;
        std::lock_guard<std::mutex> hold(lock); // bug
#endif
        int *before = past.empty() ? nullptr : past.back().get();
        now = *before;
        past.pop_back();
        depth = (int)past.size();
        return true;
    }
    int value() const
    {
        std::lock_guard<std::mutex> hold(lock);
        return now;
    }
    int steps() const { return depth; }

private:
    mutable std::mutex lock;
    std::deque<std::unique_ptr<int>> past;
    std::atomic<int> depth{0};
    int now = 0;
};
