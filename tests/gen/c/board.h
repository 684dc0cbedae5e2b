/* Points of players, and who is how far up.
 * bug: board_rank fetches the points of the player and counts those above in another critical section: a player
 * who has got points meanwhile is above himself.
 * kind: result */
#ifndef BOARD_H
#define BOARD_H
#include <pthread.h>

enum { BOARD_PLAYERS = 6 };

struct board {
    pthread_mutex_t lock;
    long points[BOARD_PLAYERS];
    int played[BOARD_PLAYERS];
};

void board_init(struct board *b);
void board_destroy(struct board *b);
/* Points to add, may be negative; what the player has then. */
long board_score(struct board *b, int player, long points);
void board_leave(struct board *b, int player);
/* 1 = the best; 0 = does not play. */
int board_rank(struct board *b, int player);
#endif
