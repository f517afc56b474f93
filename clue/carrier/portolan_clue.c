/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan-clue: the process that folded ranks live in; `portolan clue run` starts it. */
#include <portolan/clue_run.h>

/* A program's code knows how far its thread-locals are from the thread pointer: as far as those of
 * this program, which has room for them in each rank's. */
static _Thread_local char thread_locals[65536] __attribute__((aligned(64), used));

int main(int argc, char **argv)
{
    return clue_main(argc, argv, sizeof thread_locals);
}
