/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the library share that stands in a rank's own process (--apart). */
#ifndef PORTOLAN_CLUE_ASK_H
#define PORTOLAN_CLUE_ASK_H

#include "../apart_link.h"

#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

struct asker {
    int fd;
    pid_t process;        /* a forked one is no rank */
    pthread_mutex_t lock; /* held from begin to end of a call: threads take turns */
    int depth;
    bool is_told; /* does what portolan-clue says */
    bool is_measured;
    int64_t facts[LINK_WORDS]; /* enum link_fact */
    int64_t began_ns;          /* processor time when the last call ended */
    int64_t clock_ns;          /* what reading it adds to a burst */
    sigset_t held, before; /* signals whose handlers wait for the end of a call; mask before it */
    struct link_room room;
    struct link_frame frame;    /* the last answer; its bytes are in ROOM */
    struct shared_heap *heap;   /* in the memory of all ranks */
    int64_t to_run[LINK_WORDS]; /* enum link_run; LINK_FUNCTION 0: nothing */
    void *own[CLUE_OWNERS];
    void (*at_exit[CLUE_OWNERS])(void);
};
extern struct asker clue_asker;

/* Whether this process is a rank that is connected. */
bool asker_is_rank(void);
/* Asks, and does what it is told until it has the answer. WORDS: LINK_WORDS, or NULL. */
const struct link_frame *ask_with(enum link_operation operation, const int64_t *words,
                                  const struct iovec *parts, int n);
#define ask(operation, ...) ask_with(operation, (const int64_t[LINK_WORDS]){__VA_ARGS__}, NULL, 0)
/* Words of where CALL stands, and its file. */
const char *asker_place(const void *call, int64_t words[LINK_WORDS]);
int64_t asker_cpu_ns(void);
void asker_begin_burst(void);
/* shared.c: maps the memory of all ranks, or makes a copy (FD -1). Takes FD. False: it cannot. */
bool asker_share(int fd);
/* As link_write() to portolan-clue, after what this rank has changed in its copy. */
bool asker_write(struct link_frame *f, const struct iovec *parts, int n);
/* What others have changed. */
void asker_take_lines(const struct link_frame *f, const char *bytes);

#pragma GCC visibility pop

#endif
