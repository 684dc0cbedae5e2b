/* A value that can be set once.
 * bug: set looks whether it is set and sets it in two steps: both callers are told that theirs counts.
 * kind: result */
#pragma once
#include <atomic>
#include <optional>
#include <thread>

template <class T> class OnceValue {
public:
    bool set(T v)
    {
#ifdef FIXED
        int free = 0;
        if (!state.compare_exchange_strong(free, 1)) {
            while (state.load() != 2) // who is told that it is set must find it set
                std::this_thread::yield();
            return false;
        }
#else
        if (state.load()) // bug
            return false;
        state.store(1);
#endif
        value.store(v);
        state.store(2);
        return true;
    }
    std::optional<T> get() const
    {
        if (state.load() != 2)
            return std::nullopt;
        return value.load();
    }

private:
    std::atomic<int> state{0};
    std::atomic<T> value{};
};
using OnceInt = OnceValue<int>;
