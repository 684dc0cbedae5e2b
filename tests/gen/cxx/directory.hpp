/* Telephone numbers by name, and names by number.
 * bug: add fills the two tables under a lock each: a caller finds the number of a name, and then no name with this number.
 * kind: result */
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>

class Directory {
public:
    // false: the name or the number is there already.
    bool add(const std::string &name, int number)
    {
        {
            std::unique_lock<std::shared_mutex> hold(lock);
            if (by_name.count(name) || by_number.count(number))
                return false;
            by_name[name] = number;
#ifdef FIXED
            by_number[number] = name;
#endif
        }
#ifndef FIXED
        std::unique_lock<std::shared_mutex> hold(lock);
        by_number[number] = name; // bug
#endif
        return true;
    }
    std::optional<int> number_of(const std::string &name) const
    {
        std::shared_lock<std::shared_mutex> hold(lock);
        auto found = by_name.find(name);
        return found == by_name.end() ? std::nullopt : std::optional<int>(found->second);
    }
    std::optional<std::string> name_of(int number) const
    {
        std::shared_lock<std::shared_mutex> hold(lock);
        auto found = by_number.find(number);
        return found == by_number.end() ? std::nullopt : std::optional<std::string>(found->second);
    }

private:
    mutable std::shared_mutex lock;
    std::map<std::string, int> by_name;
    std::map<int, std::string> by_number;
};
