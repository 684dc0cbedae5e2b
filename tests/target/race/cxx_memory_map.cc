/* A total in an object behind a map is lost; the map is taken down after main, the total stays
 * build:    g++ -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    changes
 */
#include <cstdio>
#include <map>
#include <string>
#include <thread>

struct Account {
    std::string name;
    long total = 0;
    explicit Account(std::string n) : name(std::move(n)) {}
};
static auto &accounts = *new std::map<int, Account *>;

static void add(long n) { accounts.at(1)->total += n; /* R1 */ }

int main()
{
    accounts[1] = new Account("a name that is longer than fits into the object");
    std::thread a(add, 1), b(add, 2);
    a.join();
    b.join();
    std::puts("done");
}
