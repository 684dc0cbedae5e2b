/* A place for one number, to be put in and taken out.
 * bug: take reads the number and empties the place in two steps: two callers get the same one.
 * kind: result */
#pragma once
#include <atomic>
#include <stdexcept>

namespace store {

class Slot {
public:
    enum class Full { Replace, Refuse };

    bool put(int value, Full how)
    {
        if (value == 0)
            throw std::invalid_argument("0 means that it is empty");
        if (how == Full::Replace) {
            held.store(value);
            return true;
        }
        int none = 0;
        return held.compare_exchange_strong(none, value);
    }
    int take()
    {
#ifdef FIXED
        return held.exchange(0);
#else
        int value = held.load(); // bug
        held.store(0);
        return value;
#endif
    }
    bool empty() const { return held.load() == 0; }

    Slot() = default;
    Slot(const Slot &) = delete;
    Slot &operator=(const Slot &) = delete;

private:
    std::atomic<int> held{0};
};

} // namespace store
