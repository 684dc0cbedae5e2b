// account_catch.cc: the same five tests for Catch2.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif

#include "account.h"

#include <thread>

TEST_CASE("deposits add up")
{
    Account account(100);
    std::thread a([&] { account.deposit(10); }), b([&] { account.deposit(20); });
    a.join();
    b.join();
    REQUIRE(account.balance() == 130);
}

TEST_CASE("withdrawals add up, too")
{
    Account account(100);
    std::thread a([&] { account.withdraw(10); }), b([&] { account.withdraw(30); });
    a.join();
    b.join();
    REQUIRE(account.balance() == 60);
}

TEST_CASE("one thread opens it")
{
    Account account(0);
    bool first = false, second = false;
    std::thread a([&] { first = account.open(); }), b([&] { second = account.open(); });
    a.join();
    b.join();
    REQUIRE(first != second);
}

TEST_CASE("one thread closes it")
{
    Account account(0);
    account.open();
    bool first = false, second = false;
    std::thread a([&] { first = account.close(); }), b([&] { second = account.close(); });
    a.join();
    b.join();
    REQUIRE(first != second);
}

TEST_CASE("it begins closed")
{
    Account account(5);
    REQUIRE_FALSE(account.is_open());
    REQUIRE(account.balance() == 5);
}
