/* Results that are computed once, many readers at a time.
 * bug: get lets go of the readers' lock and computes without looking again: twice.
 * kind: result */
#pragma once
#include <map>
#include <mutex>
#include <shared_mutex>

class Memo {
public:
    // Which computation it came from.
    int get(int x)
    {
        {
            std::shared_lock<std::shared_mutex> reading(lock);
            auto known = value.find(x);
            if (known != value.end())
                return known->second;
        }
        std::unique_lock<std::shared_mutex> writing(lock);
#ifdef FIXED
        auto known = value.find(x);
        if (known != value.end())
            return known->second;
#endif
        int n = ++computed; // bug: another caller may have done it by now
        value[x] = n;
        return n;
    }
    bool forget(int x)
    {
        std::unique_lock<std::shared_mutex> writing(lock);
        return value.erase(x) > 0;
    }
    int computations() const
    {
        std::shared_lock<std::shared_mutex> reading(lock);
        return computed;
    }

private:
    mutable std::shared_mutex lock;
    std::map<int, int> value;
    int computed = 0;
};
