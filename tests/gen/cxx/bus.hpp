/* Calls all who subscribed.
 * bug: publish goes through the list without the lock while unsubscribe frees an entry.
 * kind: heap */
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

class Bus {
public:
    int subscribe(std::function<void(int)> handler)
    {
        std::lock_guard<std::mutex> hold(lock);
        all.push_back(std::make_unique<std::function<void(int)>>(handler));
        return (int)all.size() - 1;
    }
    bool unsubscribe(int id)
    {
        std::lock_guard<std::mutex> hold(lock);
        if (id < 0 || id >= (int)all.size() || !all[id])
            return false;
        all[id].reset();
        return true;
    }
    int publish(int event)
    {
        int n = 0;
#ifdef FIXED
        std::lock_guard<std::mutex> hold(lock);
        for (auto &one : all)
            if (one) {
                (*one)(event);
                n++;
            }
#else
        for (size_t i = 0; i < all.size(); i++) { // bug
            std::function<void(int)> *one = all[i].get();
            if (one) {
                (*one)(event);
                n++;
            }
        }
#endif
        return n;
    }

private:
    std::mutex lock;
    std::vector<std::unique_ptr<std::function<void(int)>>> all;
};
