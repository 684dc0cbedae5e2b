// account_gtest.cc: five tests, of which Withdraw and Open fail in some orders of their threads.
#include "account.h"

#include <gtest/gtest.h>

#include <thread>

TEST(Account, Deposit)
{
    Account account(100);
    std::thread a([&] { account.deposit(10); }), b([&] { account.deposit(20); });
    a.join();
    b.join();
    EXPECT_EQ(account.balance(), 130);
}

TEST(Account, Withdraw)
{
    Account account(100);
    std::thread a([&] { account.withdraw(10); }), b([&] { account.withdraw(30); });
    a.join();
    b.join();
    EXPECT_EQ(account.balance(), 60);
}

TEST(Account, Open)
{
    Account account(0);
    bool first = false, second = false;
    std::thread a([&] { first = account.open(); }), b([&] { second = account.open(); });
    a.join();
    b.join();
    EXPECT_NE(first, second) << "exactly one of them opens it";
}

TEST(Account, Close)
{
    Account account(0);
    account.open();
    bool first = false, second = false;
    std::thread a([&] { first = account.close(); }), b([&] { second = account.close(); });
    a.join();
    b.join();
    EXPECT_NE(first, second);
}

TEST(Account, BeginsClosed)
{
    Account account(5);
    EXPECT_FALSE(account.is_open());
    EXPECT_EQ(account.balance(), 5);
}
