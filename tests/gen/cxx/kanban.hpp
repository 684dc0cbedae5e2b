/* Cards on a board with columns, each column with a lock of its own.
 * bug: finish locks the column it takes from first, and reopen does so, too: they go in opposite directions.
 * kind: deadlock */
#pragma once
#include <deque>
#include <mutex>
#include <string>

class Kanban {
public:
    explicit Kanban(int limit) : limit(limit) {}

    void add(const std::string &card)
    {
        std::lock_guard<std::mutex> hold(todo.lock);
        todo.cards.push_back(card);
    }
    // The oldest card that is to be done; false: none, or too many are done.
    bool finish()
    {
        std::unique_lock<std::mutex> from(todo.lock);
        std::unique_lock<std::mutex> to(done.lock);
        if (todo.cards.empty() || static_cast<int>(done.cards.size()) >= limit)
            return false;
        done.cards.push_back(todo.cards.front());
        todo.cards.pop_front();
        return true;
    }
    // The card that was done last is to be done again.
    bool reopen()
    {
#ifdef FIXED
        std::scoped_lock hold(todo.lock, done.lock);
#else
        std::unique_lock<std::mutex> from(done.lock); // bug
        std::unique_lock<std::mutex> to(todo.lock);
#endif
        if (done.cards.empty())
            return false;
        todo.cards.push_front(done.cards.back());
        done.cards.pop_back();
        return true;
    }
    size_t open_cards() const
    {
        std::lock_guard<std::mutex> hold(todo.lock);
        return todo.cards.size();
    }

private:
    struct column {
        mutable std::mutex lock;
        std::deque<std::string> cards;
    };
    column todo, done;
    int limit;
};
