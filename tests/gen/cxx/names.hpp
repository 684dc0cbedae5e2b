/* A number for each word, given at first use.
 * bug: id_of looks under the shared lock and adds under the other one without looking again: one word gets two numbers.
 * kind: result */
#pragma once
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>

class Names {
public:
    int id_of(const std::string &word)
    {
        {
            std::shared_lock<std::shared_mutex> hold(lock);
            auto at = ids.find(word);
            if (at != ids.end())
                return at->second;
        }
        std::unique_lock<std::shared_mutex> hold(lock);
#ifdef FIXED
        auto at = ids.find(word);
        if (at != ids.end())
            return at->second;
#endif
        ids[word] = next; // bug
        return next++;
    }
    bool forget(const std::string &word)
    {
        std::unique_lock<std::shared_mutex> hold(lock);
        return ids.erase(word) > 0;
    }
    int known() const
    {
        std::shared_lock<std::shared_mutex> hold(lock);
        return (int)ids.size();
    }

private:
    mutable std::shared_mutex lock;
    std::map<std::string, int> ids;
    int next = 1;
};
