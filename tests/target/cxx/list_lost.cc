/* A list that loses a node
 * cause:    two threads link a node at the head of a list
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <cassert>
#include <thread>

template <class T> struct list {
    struct node {
        T value;
        node *next;
    };
    node *head = nullptr;
    void add(node *n)
    {
        n->next = head;
        head = n;
    }
    int length() const
    {
        int n = 0;
        for (node *p = head; p; p = p->next)
            n++;
        return n;
    }
};
static list<double> numbers;
static list<double>::node one{1.0, nullptr}, two{2.0, nullptr};

int main()
{
    std::thread a([] { numbers.add(&one); }), b([] { numbers.add(&two); });
    a.join();
    b.join();
    assert(numbers.length() == 2);
}
