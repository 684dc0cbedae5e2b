/* Different numbers in order, each node with a lock of its own.
 * bug: insert finds its place and lets the locks go before it links the node: one of two is lost.
 * kind: result */
#pragma once
#include <mutex>
#include <vector>

class Sorted {
public:
    ~Sorted()
    {
        for (node *n = head.next; n;) {
            node *next = n->next;
            delete n;
            n = next;
        }
    }
    bool insert(int value)
    {
        node *before = &head;
        before->lock.lock();
        while (before->next && before->next->value < value) {
            node *next = before->next;
            next->lock.lock();
            before->lock.unlock();
            before = next;
        }
        node *after = before->next;
        if (after && after->value == value) {
            before->lock.unlock();
            return false;
        }
#ifndef FIXED
        before->lock.unlock(); // bug
        before->lock.lock();
#endif
        before->next = new node{value, after};
        before->lock.unlock();
        return true;
    }
    std::vector<int> all() const
    {
        std::vector<int> list;
        const node *at = &head;
        at->lock.lock();
        while (at->next) {
            const node *next = at->next;
            next->lock.lock();
            at->lock.unlock();
            list.push_back(next->value);
            at = next;
        }
        at->lock.unlock();
        return list;
    }

private:
    struct node {
        int value = 0;
        node *next = nullptr;
        mutable std::mutex lock{};
    };
    node head;
};
