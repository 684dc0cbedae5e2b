/* Who is reading: slots that readers enter and leave.
 * bug: enter looks for a free slot and takes it in two steps: two readers share one.
 * kind: result */
#pragma once
#include <atomic>

class Registry {
public:
    int enter()
    {
        for (int i = 0; i < 4; i++) {
#ifdef FIXED
            bool no = false;
            if (used[i].compare_exchange_strong(no, true))
                return i;
#else
            if (!used[i].load()) { // bug
                used[i].store(true);
                return i;
            }
#endif
        }
        return -1;
    }
    bool leave(int slot) { return slot >= 0 && slot < 4 && used[slot].exchange(false); }
    bool busy(int slot) const { return slot >= 0 && slot < 4 && used[slot].load(); }

private:
    std::atomic<bool> used[4] = {};
};
