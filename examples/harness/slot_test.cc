// slot_test.cc: a place for one value; take is an exchange, as it should be: nothing is found.
#include <atomic>
#include <heddle/harness.hpp>

struct Slot {
    std::atomic<int> held{0};
};

int main()
{
    heddle::harness<Slot> h([] { return new Slot; });
    h.op("put", [](Slot &s, int v) { s.held.store(v); });
    h.op("take", [](Slot &s) -> std::optional<int> {
        int v = s.held.exchange(0);
        return v ? std::optional<int>(v) : std::nullopt;
    });
    return h.linearizable();
}
