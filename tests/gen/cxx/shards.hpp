/* A sum kept in two parts, so that adders seldom meet.
 * bug: total adds the parts up one after the other: a sum that was never true.
 * kind: result */
#pragma once
#include <mutex>

class Shards {
public:
    void add(int key, int n)
    {
        part &p = parts[key & 1];
        std::lock_guard<std::mutex> hold(p.lock);
        p.sum += n;
    }
    void move(int n) /* from the first part to the second */
    {
        std::scoped_lock hold(parts[0].lock, parts[1].lock);
        parts[0].sum -= n;
        parts[1].sum += n;
    }
    long total()
    {
#ifdef FIXED
        std::scoped_lock hold(parts[0].lock, parts[1].lock);
        return parts[0].sum + parts[1].sum;
#else
        long sum = 0;
        for (part &p : parts) { // bug
            std::lock_guard<std::mutex> hold(p.lock);
            sum += p.sum;
        }
        return sum;
#endif
    }

private:
    struct part {
        std::mutex lock;
        long sum = 0;
    } parts[2];
};
