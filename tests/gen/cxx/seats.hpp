/* Seats in rows, each row with a lock of its own.
 * bug: swap locks the two rows in the order of its arguments: two calls wait for each other.
 * kind: deadlock */
#pragma once
#include <algorithm>
#include <mutex>

class Seats {
public:
    explicit Seats(int price = 1) : price(price) {}

    int sell(int row)
    {
        std::lock_guard<std::mutex> guard(rows[row & 3].lock);
        return ++rows[row & 3].sold * price;
    }
    void swap(int from, int to)
    {
        Row &a = rows[from & 3], &b = rows[to & 3];
        if (&a == &b)
            return;
#ifdef FIXED
        std::scoped_lock both(a.lock, b.lock);
#else
        std::lock_guard<std::mutex> first(a.lock); // bug
        std::lock_guard<std::mutex> second(b.lock);
#endif
        std::swap(a.sold, b.sold);
    }
    int sold(int row) const
    {
        std::lock_guard<std::mutex> guard(rows[row & 3].lock);
        return rows[row & 3].sold;
    }

private:
    struct Row {
        mutable std::mutex lock;
        int sold = 0;
    } rows[4];
    int price;
};
