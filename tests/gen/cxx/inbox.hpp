/* Letters that can be moved from one box to another.
 * bug: absorb locks its own box first: two boxes that absorb each other wait for ever.
 * kind: deadlock */
#pragma once
#include <deque>
#include <mutex>

class Inbox {
public:
    Inbox() = default;
    Inbox(const Inbox &) = delete;
    Inbox &operator=(const Inbox &) = delete;

    void post(int letter)
    {
        std::lock_guard<std::mutex> own(lock);
        letters.push_back(letter);
    }
    bool read(int &letter)
    {
        std::lock_guard<std::mutex> own(lock);
        if (letters.empty())
            return false;
        letter = letters.front();
        letters.pop_front();
        return true;
    }
    // How many came over.
    size_t absorb(Inbox &other)
    {
        if (&other == this)
            return 0;
#ifdef FIXED
        std::scoped_lock both(lock, other.lock);
#else
        std::lock_guard<std::mutex> own(lock); // bug
        std::lock_guard<std::mutex> theirs(other.lock);
#endif
        size_t n = other.letters.size();
        letters.insert(letters.end(), other.letters.begin(), other.letters.end());
        other.letters.clear();
        return n;
    }
    size_t size() const
    {
        std::lock_guard<std::mutex> own(lock);
        return letters.size();
    }

private:
    mutable std::mutex lock;
    std::deque<int> letters;
};
