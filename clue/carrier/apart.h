/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that are processes, here or on other hosts, as portolan-clue sees them. */
#ifndef PORTOLAN_CLUE_APART_H
#define PORTOLAN_CLUE_APART_H

#include "apart_link.h"
#include "internal.h"

#include <portolan/index.h>

#include <sys/types.h>

/* A place in the rank's program that the rank has reported. */
struct apart_place {
    uint64_t site; /* its address in the rank's memory */
    uint64_t address, key;
    const char *file;
    bool is_program;
};

/* A posted receive. FUNCTION, called with ARGUMENT, takes the message; both are the rank's. */
struct apart_receive {
    struct apart_receive *next, **link;
    struct rank *rank;
    clue_request request;
    int64_t function, argument;
    bool is_standing;
};

struct apart {
    int fd;        /* the connection; -1: there is none (yet, or any more) */
    pid_t process; /* the rank's, or that of its ssh; 0: it has ended */
    bool has_exited;
    int host;
    void *stack; /* stack of the context that serves it */
    struct link_room room;
    struct link_frame frame; /* the request that it sent last */
    int64_t burst_ns;        /* how long it computed before this call */
    struct portolan_index index;
    struct apart_place *places;
    size_t n_places, room_places;
    struct apart_receive *receives;
    uint64_t n_changes; /* how many changes of the common memory it has received */
};

/* apart_memory.c: the memory that these ranks share. */
/* Makes it, before the ranks start. */
enum portolan_status apart_make_memory(const struct carrier *c, struct portolan_error *err);
void apart_end_memory(void);
/* Returns the file that all ranks map; 0: each has a copy. */
int apart_memory(void);
/* Write and read as link_write() and link_read(), together with changes of the common memory. */
bool apart_write(struct rank *rank, struct link_frame *f, const struct iovec *parts, int n);
bool apart_read(struct rank *rank, struct link_frame *f, struct link_room *room);

/* apart.c: the processes. */
/* Starts N more ranks on HOSTS, with the words of main(). */
enum portolan_status apart_start(struct carrier *c, const char *program, char *const *words,
                                 const int *hosts, int n, struct portolan_error *err);
/* Ends the process, if it has not ended by itself. */
void apart_end(struct rank *rank);
void apart_free(struct rank *rank);
/* Ends all processes after a run. */
void apart_end_all(struct carrier *c);
/* Waits until RANK asks for something; ends the run if the process of another is gone meanwhile. */
void apart_await(struct rank *rank);
/* Ends the run because the process is gone; reports how it ended. */
void apart_report_gone(struct rank *rank) __attribute__((noreturn));

/* apart_server.c: performs what the processes ask for. */
/* The function with which the context of a rank begins. */
void apart_serve(void);
void apart_serve_end(struct carrier *c);
const struct apart_place *apart_place_of(const struct rank *rank, const void *site);

#endif
