/* Two threads make regular expressions: the library's cache of narrow characters is filled by both
 * build:    g++ -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <cassert>
#include <regex>
#include <thread>

static void match()
{
    assert(std::regex_match("abc1", std::regex("[a-z]+1")));
    assert(!std::regex_match("1abc", std::regex("[[:alpha:]]+")));
}

int main()
{
    std::thread one(match), two(match);
    one.join();
    two.join();
}
