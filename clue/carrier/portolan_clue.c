/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan-clue: the process that folded ranks live in; `portolan clue run` starts it. */
#include <portolan/clue_run.h>

/* Reserves thread-locals. The code of a program knows the distance of its thread-locals from the
 * thread pointer, so each rank places them where this program has these. */
static _Thread_local char thread_locals[65536] __attribute__((aligned(64), used));

int main(int argc, char **argv)
{
    return clue_main(argc, argv, sizeof thread_locals);
}
