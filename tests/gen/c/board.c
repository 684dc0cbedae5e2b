#include "board.h"

#include <string.h>

void board_init(struct board *b)
{
    memset(b, 0, sizeof *b);
    pthread_mutex_init(&b->lock, NULL);
}

void board_destroy(struct board *b)
{
    pthread_mutex_destroy(&b->lock);
}

static int exists(int player)
{
    return player >= 0 && player < BOARD_PLAYERS;
}

long board_score(struct board *b, int player, long points)
{
    if (!exists(player))
        return 0;
    pthread_mutex_lock(&b->lock);
    b->played[player] = 1;
    long now = (b->points[player] = (long)((unsigned long)b->points[player] + (unsigned long)points));
    pthread_mutex_unlock(&b->lock);
    return now;
}

void board_leave(struct board *b, int player)
{
    if (!exists(player))
        return;
    pthread_mutex_lock(&b->lock);
    b->played[player] = 0;
    b->points[player] = 0;
    pthread_mutex_unlock(&b->lock);
}

int board_rank(struct board *b, int player)
{
    if (!exists(player))
        return 0;
    pthread_mutex_lock(&b->lock);
    int plays = b->played[player], above = 0;
    long mine = b->points[player];
#ifndef FIXED
    pthread_mutex_unlock(&b->lock); /* bug */
    pthread_mutex_lock(&b->lock);
#endif
    for (int i = 0; i < BOARD_PLAYERS; i++)
        if (b->played[i] && b->points[i] > mine)
            above++;
    pthread_mutex_unlock(&b->lock);
    return plays ? above + 1 : 0;
}
