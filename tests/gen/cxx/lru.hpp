/* The numbers used last, by key.
 * bug: find drops the lock before it reads the entry that another put may have dropped.
 * kind: heap */
#pragma once
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

class Lru {
public:
    explicit Lru(int room) : room(room) {}
    void put(int key, int value)
    {
        std::lock_guard<std::mutex> hold(lock);
        auto at = by_key.find(key);
        if (at != by_key.end()) {
            at->second->second = value;
            order.splice(order.begin(), order, at->second);
            return;
        }
        order.emplace_front(key, value);
        by_key[key] = order.begin();
        if ((int)order.size() > room) {
            by_key.erase(order.back().first);
            order.pop_back();
        }
    }
    std::optional<int> find(int key)
    {
        std::unique_lock<std::mutex> hold(lock);
        auto at = by_key.find(key);
        if (at == by_key.end())
            return std::nullopt;
        auto entry = at->second;
#ifndef FIXED
        hold.unlock(); // bug
#endif
        return entry->second;
    }
    int count() const
    {
        std::lock_guard<std::mutex> hold(lock);
        return (int)order.size();
    }

private:
    int room;
    mutable std::mutex lock;
    std::list<std::pair<int, int>> order;
    std::map<int, std::list<std::pair<int, int>>::iterator> by_key;
};
