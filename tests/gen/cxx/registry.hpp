/* Who is reading: slots that readers enter and leave.
 * bug: enter looks for a free slot and takes it in two steps: two readers share one.
 * kind: result */
#pragma once
#include <atomic>
#include <mutex>

class Registry {
public:
    // The first slot that is free; -1: none is.
    int enter()
    {
#ifdef FIXED
        std::lock_guard<std::mutex> hold(lock); // else a slot may become free behind the search
#endif
        for (int i = 0; i < 4; i++) {
            if (!used[i].load()) { // bug
                used[i].store(true);
                return i;
            }
        }
        return -1;
    }
    bool leave(int slot)
    {
#ifdef FIXED
        std::lock_guard<std::mutex> hold(lock);
#endif
        return slot >= 0 && slot < 4 && used[slot].exchange(false);
    }
    bool busy(int slot) const { return slot >= 0 && slot < 4 && used[slot].load(); }

private:
    std::mutex lock;
    std::atomic<bool> used[4] = {};
};
