/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that are processes, here or on other hosts, as portolan-clue sees them. */
#ifndef PORTOLAN_CLUE_APART_H
#define PORTOLAN_CLUE_APART_H

#include "apart_link.h"
#include "internal.h"

#include <portolan/index.h>

#include <sys/types.h>

/* A place of the rank's program that it has told of. */
struct apart_place {
    uint64_t site; /* in its memory */
    uint64_t address, key;
    const char *file;
    bool is_program;
};

/* A receive that is posted: who takes the message. FUNCTION and ARGUMENT are the rank's own. */
struct apart_receive {
    struct apart_receive *next, **link;
    struct rank *rank;
    clue_request request;
    int64_t function, argument;
    bool is_standing;
};

struct apart {
    int fd;        /* -1: not connected, or no more */
    pid_t process; /* its, or ssh's; 0: it has ended */
    bool has_exited;
    int host;
    void *stack; /* of the context that serves it */
    struct link_room room;
    struct link_frame frame; /* what it asks */
    int64_t burst_ns;        /* what it computed before this call */
    struct portolan_index index;
    struct apart_place *places;
    size_t n_places, room_places;
    struct apart_receive *receives;
    uint64_t n_changes; /* of the common memory that it has seen */
};

/* apart_memory.c: the memory that they have together. */
/* Before they start. */
enum portolan_status apart_make_memory(const struct carrier *c, struct portolan_error *err);
void apart_end_memory(void);
/* The file that all map; 0: each has a copy. */
int apart_memory(void);
/* As link_write() and link_read(), to and from RANK, with the changes of that memory. */
bool apart_write(struct rank *rank, struct link_frame *f, const struct iovec *parts, int n);
bool apart_read(struct rank *rank, struct link_frame *f, struct link_room *room);

/* apart.c: their processes. */
/* N more ranks on HOSTS, with the words of main(). */
enum portolan_status apart_start(struct carrier *c, const char *program, char *const *words,
                                 const int *hosts, int n, struct portolan_error *err);
/* Ends the process, if it has not ended by itself. */
void apart_end(struct rank *rank);
void apart_free(struct rank *rank);
/* After a run. */
void apart_end_all(struct carrier *c);
/* Until RANK asks for something; ends the run if the process of another is gone meanwhile. */
void apart_await(struct rank *rank);
/* Ends the run, since the process is gone; says how. */
void apart_tell_gone(struct rank *rank) __attribute__((noreturn));

/* serve.c: what they ask. */
/* Where the context of a rank begins. */
void apart_serve(void);
void apart_serve_end(struct carrier *c);
const struct apart_place *apart_place_of(const struct rank *rank, const void *site);

#endif
