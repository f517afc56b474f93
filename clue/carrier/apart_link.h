/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The connection between portolan-clue and a rank that is a process (--apart). The rank sends a
 * request and goes on when it has the answer; while it waits, it carries out what portolan-clue
 * asks for. So whenever the engine runs, all ranks wait. Both ends are of one version and run on
 * one kind of machine: values are sent as words and structs as they are in memory.
 */
#ifndef PORTOLAN_CLUE_APART_LINK_H
#define PORTOLAN_CLUE_APART_LINK_H

#include "operation.h"

#include <sys/uio.h>

/* Functions of <portolan/clue_task.h> whose arguments and results are words. Their stubs in the
 * rank, and the code that calls them for a rank, are made from this list. V: returns a value; N:
 * returns nothing; T: takes a text. */
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
    /* The other requests, with the words -> the answer's words; bytes follow after a semicolon. */
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
    /* Messages that portolan-clue sends. */
    LINK_ANSWER,
    LINK_DELIVER, /* deliver(), its argument, is_standing; struct clue_message, data -> if it is
                     standing, enum link_run of what another rank is to call */
    LINK_RUN      /* enum link_run -> */
};
/* Words that describe a place in a program: its address in the rank's memory and in the file, and a
 * key that is the same for all ranks. */
enum link_place { LINK_ROUTINE, LINK_SITE, LINK_ADDRESS, LINK_KEY, LINK_IS_PROGRAM, LINK_NS };
enum link_result { LINK_REQUEST, LINK_INDEX, LINK_IS_TRUE };
enum link_run { LINK_RUNNER, LINK_FUNCTION, LINK_ARGUMENT };
enum link_fact { LINK_TASK, LINK_TASKS, LINK_IS_MEASURED, LINK_IS_OBSERVED };

enum { LINK_WORDS = 6 };
struct link_frame {
    uint64_t operation, bytes; /* BYTES follow */
    int64_t words[LINK_WORDS];
};
/* A buffer that holds the bytes of a frame that was read. */
struct link_room {
    char *bytes;
    size_t room;
};

/* Environment variable of a rank: "fd:N:TASK:M", where M is the file of the common memory (-1: the
 * rank has a copy), or "tcp:PORT:TASK:SECRET:ADDRESS,ADDRESS...". */
#define LINK_VARIABLE "PORTOLAN_CLUE_LINK"

/* Address of that memory in all ranks, and its size. Pages that are not written to take none. */
#define LINK_MEMORY       ((void *)0x200000000000)
#define LINK_MEMORY_BYTES ((size_t)1 << 36)
/* Bytes of a line, the unit in which changes of a copy are sent. */
enum { LINK_LINE = 256 };

/* Writes F and N_MORE parts, whose bytes F->bytes becomes. False: the connection is broken. */
bool link_write(int fd, struct link_frame *f, const struct iovec *more, int n_more);
/* Writes a LINK_LINES: lines FIRST to END of the memory of which a copy is at COPY. */
bool link_write_lines(int fd, const char *copy, size_t first, size_t end);
/* Reads a frame, whose bytes, with a 0 after them, go to ROOM. */
bool link_read(int fd, struct link_frame *f, struct link_room *room);
/* Reads from a connection whose other end is not known yet: accepts a LINK_HELLO only. */
bool link_read_greeting(int fd, struct link_frame *f, struct link_room *room);
static inline struct iovec link_part(const void *bytes, size_t size)
{
    return (struct iovec){(void *)(uintptr_t)bytes, size};
}
static inline struct iovec link_text(const char *text)
{
    return link_part(text, __builtin_strlen(text) + 1);
}

/* Returns a number for a place in the library NAME that is the same in all ranks and runs. */
uint64_t link_library_key(const char *file, uint64_t address);
/* Returns a copy of TEXT that is never freed, one for equal texts; NULL: no memory. */
const char *link_keep(const char *text);

#endif
