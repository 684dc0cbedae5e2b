/* Numbers, the last one first, without a lock; nodes are used again.
 * bug: the head has no version: pop swaps in a successor that other calls have popped meanwhile, since the same node
 * has come back to the head.
 * kind: result */
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <queue>

class Lifo {
public:
    void push(int value)
    {
        uint32_t mine = allocate();
        node[mine].value = value;
        uint64_t old = head.load();
        do
            node[mine].next = static_cast<uint32_t>(old);
        while (!head.compare_exchange_strong(old, successor_of(old, mine)));
    }
    // 0: there is none.
    int pop()
    {
        uint64_t old = head.load();
        uint32_t first;
        do {
            first = static_cast<uint32_t>(old);
            if (first == none)
                return 0;
        } while (!head.compare_exchange_strong(old, successor_of(old, node[first].next)));
        int value = node[first].value;
        std::lock_guard<std::mutex> hold(lock);
        idle.push(first);
        return value;
    }
    bool empty() const { return static_cast<uint32_t>(head.load()) == none; }

private:
    static constexpr uint32_t none = 64;

    uint32_t allocate()
    {
        std::lock_guard<std::mutex> hold(lock);
        if (idle.empty())
            return used++ % none;
        uint32_t n = idle.front();
        idle.pop();
        return n;
    }
    static uint64_t successor_of(uint64_t old, uint32_t first)
    {
#ifdef FIXED
        return ((old >> 32) + 1) << 32 | first;
#else
        (void)old;
        return first; // bug
#endif
    }
    struct {
        std::atomic<uint32_t> next;
        std::atomic<int> value;
    } node[none];
    std::atomic<uint64_t> head{none};
    std::mutex lock;
    std::queue<uint32_t> idle;
    uint32_t used = 0;
};
