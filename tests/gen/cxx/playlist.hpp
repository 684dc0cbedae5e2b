/* Titles to be played, one after the other, and from the beginning again.
 * bug: next looks how many titles there are and fetches the title in another critical section: by then it may be gone.
 * kind: heap */
#pragma once
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace music {

class Playlist {
public:
    void append(std::string title)
    {
        std::lock_guard<std::mutex> hold(lock);
        titles.push_back(std::move(title));
    }
    // The title to be played now; "" = there is none.
    std::string next()
    {
        size_t now;
        {
            std::lock_guard<std::mutex> hold(lock);
            if (titles.empty())
                return {};
            now = at++ % titles.size();
#ifdef FIXED
            return titles.at(now);
#endif
        }
        std::lock_guard<std::mutex> hold(lock);
        return titles.at(now); // bug
    }
    // Takes the last title out.
    bool drop()
    {
        std::lock_guard<std::mutex> hold(lock);
        if (titles.empty())
            return false;
        titles.pop_back();
        return true;
    }
    std::size_t size() const
    {
        std::lock_guard<std::mutex> hold(lock);
        return titles.size();
    }

private:
    mutable std::mutex lock;
    std::vector<std::string> titles;
    size_t at = 0;
};

} // namespace music
