/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the library that a rank's own process loads (--apart). */
#ifndef PORTOLAN_CLUE_CLIENT_H
#define PORTOLAN_CLUE_CLIENT_H

#include "../apart_link.h"

#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

struct asker {
    int fd;
    pid_t process;        /* number of the rank's process; a forked child is no rank */
    pthread_mutex_t lock; /* held from the begin to the end of a call, so that threads take turns */
    int depth;
    bool is_serving; /* is carrying out a request of portolan-clue */
    bool is_measured;
    int64_t facts[LINK_WORDS]; /* indexed by enum link_fact */
    int64_t began_ns;          /* the rank's processor time when its last call ended */
    int64_t clock_ns;          /* what reading it adds to a burst */
    sigset_t held, before; /* HELD: signals held until the end of a call; BEFORE: the mask before
                            * it */
    struct link_room room;
    struct link_frame frame;    /* the last answer; its bytes are in ROOM */
    struct shared_heap *heap;   /* lies in the memory that all ranks share */
    int64_t to_run[LINK_WORDS]; /* as of enum link_run; LINK_FUNCTION 0: there is nothing to run */
    void *own[CLUE_OWNERS];
    void (*at_exit[CLUE_OWNERS])(void);
};
extern struct asker clue_asker;

/* Returns whether this process is a rank that is connected. */
bool asker_is_rank(void);
/* Sends a request and, until the answer arrives, carries out what portolan-clue asks for. WORDS:
 * LINK_WORDS of them, or NULL. */
const struct link_frame *ask_with(enum link_operation operation, const int64_t *words,
                                  const struct iovec *parts, int n);
#define ask(operation, ...) ask_with(operation, (const int64_t[LINK_WORDS]){__VA_ARGS__}, NULL, 0)
/* Fills WORDS with the place of CALL and returns its file. */
const char *asker_place(const void *call, int64_t words[LINK_WORDS]);
int64_t asker_cpu_ns(void);
void asker_begin_burst(void);
/* shared.c: maps the memory of all ranks, or makes a copy (FD -1). Takes FD. False: it cannot. */
bool asker_share(int fd);
/* Writes a frame as link_write(), preceded by the lines that this rank has changed in its copy. */
bool asker_write(struct link_frame *f, const struct iovec *parts, int n);
/* Applies the lines that other ranks have changed. */
void asker_take_lines(const struct link_frame *f, const char *bytes);

#pragma GCC visibility pop

#endif
