/* two tests of one program, by GoogleTest
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread -lgtest
 * options:  --runs 200
 * runs:     300
 */
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

static bool changed(std::atomic<int> &x)
{
    int before = x.load();
    return before != x.load();
}

TEST(Queue, Push)
{
    std::atomic<int> a{0};
    std::thread t([&a] { a = 1; });
    bool is_bad = changed(a);
    t.join();
    EXPECT_FALSE(is_bad); // bug 1
}

TEST(Queue, Pop)
{
    std::atomic<int> a{0};
    std::thread t([&a] { a = 1; });
    bool is_bad = changed(a);
    t.join();
    EXPECT_FALSE(is_bad); // bug 2
}

int main(int argc, char **argv)
{
    testing::InitGoogleTest(&argc, argv);
    testing::GTEST_FLAG(throw_on_failure) = false;
    testing::GTEST_FLAG(break_on_failure) = false;
    if (RUN_ALL_TESTS())
        return 1;
}
