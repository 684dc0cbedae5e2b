/* A queue of numbers; get waits for one.
 * bug: put wakes a waiter only if the queue was empty, so of two waiters one sleeps on beside an item.
 * kind: deadlock */
#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>

class Channel {
public:
    void put(int value)
    {
        std::lock_guard<std::mutex> hold(lock);
        bool was_empty = items.empty();
        items.push_back(value);
#ifdef FIXED
        (void)was_empty;
        filled.notify_one();
#else
        if (was_empty) // bug
            filled.notify_one();
#endif
    }
    int get()
    {
        std::unique_lock<std::mutex> hold(lock);
        while (items.empty())
            filled.wait(hold);
        int value = items.front();
        items.pop_front();
        return value;
    }
    int size() const
    {
        std::lock_guard<std::mutex> hold(lock);
        return (int)items.size();
    }

private:
    mutable std::mutex lock;
    std::condition_variable filled;
    std::deque<int> items;
};
