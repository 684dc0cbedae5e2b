/* strategy.c: the strategies as a table, made from strategy.def. */
#include "strategy/strategy.h"

#define HD_STRATEGY(name) extern const struct hd_strategy hd_strategy_##name;
#include "strategy/strategy.def"
#undef HD_STRATEGY

static const struct hd_strategy *const strategy_rows[] = {
#define HD_STRATEGY(name) &hd_strategy_##name,
#include "strategy/strategy.def"
#undef HD_STRATEGY
};

const struct hd_strategy *hd_strategy_at(u32 index)
{
    return index < HD_COUNT(strategy_rows) ? strategy_rows[index] : NULL;
}

const struct hd_strategy *hd_strategy_find(const char *name)
{
    for (u32 i = 0; i < HD_COUNT(strategy_rows); i++)
        if (hd_strcmp(strategy_rows[i]->name, name) == 0)
            return strategy_rows[i];
    return NULL;
}

u32 hd_strategy_index(const struct hd_strategy *s)
{
    for (u32 i = 0; i < HD_COUNT(strategy_rows); i++)
        if (strategy_rows[i] == s)
            return i;
    HD_BUG("strategy without a row in strategy.def");
}
