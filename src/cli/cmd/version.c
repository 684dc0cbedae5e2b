/* version.c: the version and what its files must match. */
#include "cli/cli.h"

int hd_cmd_version(char **argv)
{
    printf("heddle %s (replay format %d)\n", HD_VERSION, HD_REPLAY_VERSION);
    return HD_EXIT_OK;
}
