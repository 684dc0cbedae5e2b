// mailbox_test.cc: room for one letter; send waits until it is taken out, receive until there is one.
// -DWRONG: receive empties the box in a critical section of its own, so two of them get the same letter.
#include <condition_variable>
#include <heddle/harness.hpp>
#include <mutex>

class Mailbox {
  public:
    void send(int letter)
    {
        std::unique_lock<std::mutex> hold(lock);
        changed.wait(hold, [this] { return !is_full; });
        is_full = true;
        held = letter;
        changed.notify_all();
    }
    int receive()
    {
        int letter;
        {
            std::unique_lock<std::mutex> hold(lock);
            changed.wait(hold, [this] { return is_full; });
            letter = held;
#ifndef WRONG
            is_full = false;
            changed.notify_all();
#endif
        }
#ifdef WRONG
        std::lock_guard<std::mutex> hold(lock);
        is_full = false;
        changed.notify_all();
#endif
        return letter;
    }

  private:
    std::mutex lock;
    std::condition_variable changed;
    bool is_full = false;
    int held = 0;
};

int main()
{
    heddle::harness<Mailbox> h([] { return new Mailbox; });
    h.op("send", [](Mailbox &m, int letter) { m.send(letter); });
    h.op("receive", [](Mailbox &m) { return m.receive(); });
    return h.linearizable();
}
