/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The connection of portolan-clue with a rank that is a process (--apart). The rank asks, and goes
 * on when it has its answer; while it waits it also does what portolan-clue tells it. So whenever
 * the engine runs all ranks wait. Both ends are of one version and for one kind of machine: values
 * are words, structs travel as they are.
 */
#ifndef PORTOLAN_CLUE_APART_LINK_H
#define PORTOLAN_CLUE_APART_LINK_H

#include "operation.h"

#include <sys/uio.h>

/* Functions of <portolan/clue_task.h> whose arguments and results are words: their stubs and what
 * calls them for a rank are made of this list. V: a value; N: nothing; T: a text. */
#define LINK_FUNCTIONS(V0, V1, V2, N1, T0, T1)                                                     \
    V0(int, clue_n_hosts)                                                                          \
    V0(int64_t, clue_now)                                                                          \
    V0(int64_t, clue_read_clock)                                                                   \
    V0(uint32_t, clue_schedule_begin)                                                              \
    V0(int64_t, clue_epoch_ns)                                                                     \
    V1(int, clue_host_of, int)                                                                     \
    V1(uint32_t, clue_record_as, uint32_t)                                                         \
    V1(bool, clue_is_known, int)                                                                   \
    V1(bool, clue_is_alive, int)                                                                   \
    V2(int64_t, clue_shared_ns, enum clue_shared, uint64_t)                                        \
    N1(clue_schedule_end, uint32_t)                                                                \
    N1(clue_kill, int)                                                                             \
    T0(clue_collectives_file)                                                                      \
    T1(clue_host_name, int)                                                                        \
    T1(clue_host_type, int)

#define LINK_NAME0(type, name)                LINK_##name,
#define LINK_NAME1(type, name, first)         LINK_##name,
#define LINK_NAME2(type, name, first, second) LINK_##name,
#define LINK_NAME(name, ...)                  LINK_##name,
enum link_operation {
    LINK_FUNCTIONS(LINK_NAME0, LINK_NAME1, LINK_NAME2, LINK_NAME, LINK_NAME, LINK_NAME)
    /* The rest, with what goes in words and bytes. */
    LINK_HELLO, /* task; secret -> enum link_fact */
    LINK_BEGIN, /* enum link_place, ns; routine's name and file -> */
    LINK_END,   /* -> */
    LINK_DO,    /* ; struct operation, its data or requests -> request, index, is_true; message */
    LINK_AWAIT, /* is_all; struct clue_awaited -> */
    LINK_SPAWN, /* n; hosts, program and arguments -> started; tasks */
    LINK_SITE_TEXT, /* task, site -> ; text */
    LINK_FAIL,      /* ; text */
    LINK_ABORT,     /* status */
    LINK_ASSUME,    /* ; text -> */
    LINK_MISTAKE,   /* ; text -> */
    LINK_CHANGE,    /* bits of `value`, which of the texts are there; texts -> result */
    LINK_EVENT,     /* ; event, communicator, its ranks and neighbours, routine's name -> */
    LINK_EXIT,      /* status */
    LINK_FAULT,     /* enum link_place, signal; file */
    LINK_LINES,     /* offset; lines of the common memory that were written to. By both */
    /* By portolan-clue. */
    LINK_ANSWER,
    LINK_DELIVER, /* deliver(), its argument, is_standing; struct clue_message, data -> if it is
                     standing, enum link_run of what another rank is to call */
    LINK_RUN      /* enum link_run -> */
};
/* Words of a place in a program: of the rank's memory, of the file, for all ranks the same. */
enum link_place { LINK_ROUTINE, LINK_SITE, LINK_ADDRESS, LINK_KEY, LINK_IS_PROGRAM, LINK_NS };
enum link_result { LINK_REQUEST, LINK_INDEX, LINK_IS_TRUE };
enum link_run { LINK_RUNNER, LINK_FUNCTION, LINK_ARGUMENT };
enum link_fact { LINK_TASK, LINK_TASKS, LINK_IS_MEASURED, LINK_IS_OBSERVED };

enum { LINK_WORDS = 6 };
struct link_frame {
    uint64_t operation, bytes; /* BYTES follow */
    int64_t words[LINK_WORDS];
};
/* Where the bytes of a frame that was read lie. */
struct link_room {
    char *bytes;
    size_t room;
};

/* What a rank finds in its environment: "fd:N:TASK:M", M is the memory of all (-1: it has a copy),
 * or "tcp:PORT:TASK:SECRET:ADDRESS,ADDRESS...". */
#define LINK_VARIABLE "PORTOLAN_CLUE_LINK"

/* Where all ranks have that memory, and its size; pages that nobody writes to take none. */
#define LINK_MEMORY       ((void *)0x200000000000)
#define LINK_MEMORY_BYTES ((size_t)1 << 36)
/* A copy of it changes by lines of so many bytes. */
enum { LINK_LINE = 256 };

/* Writes F and N_MORE parts, whose bytes F->bytes becomes. False: the connection is broken. */
bool link_write(int fd, struct link_frame *f, const struct iovec *more, int n_more);
/* Writes a LINK_LINES: lines FIRST to END of the memory of which a copy is at COPY. */
bool link_write_lines(int fd, const char *copy, size_t first, size_t end);
/* Reads a frame, whose bytes, with a 0 after them, go to ROOM. */
bool link_read(int fd, struct link_frame *f, struct link_room *room);
/* The same of somebody unknown: a LINK_HELLO and no more. */
bool link_read_greeting(int fd, struct link_frame *f, struct link_room *room);
static inline struct iovec link_part(const void *bytes, size_t size)
{
    return (struct iovec){(void *)(uintptr_t)bytes, size};
}
static inline struct iovec link_text(const char *text)
{
    return link_part(text, __builtin_strlen(text) + 1);
}

/* A place in the library NAME as a number that all ranks and runs have. */
uint64_t link_library_key(const char *file, uint64_t address);
/* TEXT, each once, to stay; NULL: no memory. */
const char *link_keep(const char *text);

#endif
