/* account.h: a bank account that several threads use. What is right and what is not is for the
 * tests to find out: two of the five operations give up the lock in between. */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <mutex>

class Account {
public:
    explicit Account(int balance) : balance_(balance) {}

    int balance()
    {
        std::lock_guard<std::mutex> hold(lock_);
        return balance_;
    }
    void deposit(int amount)
    {
        std::lock_guard<std::mutex> hold(lock_);
        balance_ += amount;
    }
    /* The mistake: what it read is no longer true when it writes. */
    void withdraw(int amount)
    {
        int now = balance();
        std::lock_guard<std::mutex> hold(lock_);
        balance_ = now - amount;
    }
    /* The same mistake: another thread may have opened it in between. */
    bool open()
    {
        if (is_open())
            return false;
        std::lock_guard<std::mutex> hold(lock_);
        is_open_ = true;
        return true;
    }
    bool is_open()
    {
        std::lock_guard<std::mutex> hold(lock_);
        return is_open_;
    }
    bool close()
    {
        std::lock_guard<std::mutex> hold(lock_);
        bool was = is_open_;
        is_open_ = false;
        return was;
    }

private:
    std::mutex lock_;
    int balance_;
    bool is_open_ = false;
};

#endif
