/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PVM 3.4 in virtual time: shared by the files of the library. Codes, numbers of tasks and sizes of
 * messages are those of PVM 3.4.6. A function that waits lets other tasks run, so the state is kept
 * by task. Groups and mailboxes, which belong to the virtual machine, are changed in the order of
 * virtual time (clue_in_order()); they are in memory that all tasks share.
 */
#ifndef CLUE_PVM_INTERNAL_H
#define CLUE_PVM_INTERNAL_H

#include <portolan/base.h>
#include <portolan/clue_task.h>
#include <portolan/list.h>

#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PVM_UNUSED __attribute__((unused))

/* ------------------------------------------------- calls */

/* Begins a public function; it must end by `return pvm_leave(code)`. */
#define PVM_ENTER() PVM_ENTER_NAMED(__func__)
#define PVM_ENTER_NAMED(name)                                                                      \
    static struct clue_routine routine_of_call;                                                    \
    pvm_enter(&routine_of_call, name, __builtin_return_address(0))

/* Defines a public function as one expression. */
#define PVM_CALL(name, parameters, ...)                                                            \
    PORTOLAN_API int name parameters                                                               \
    {                                                                                              \
        PVM_ENTER();                                                                               \
        return pvm_leave(__VA_ARGS__);                                                             \
    }

/* Does the same for a function that takes no time, and so is no call. */
#define PVM_VALUE(name, parameters, ...)                                                           \
    PORTOLAN_API int name parameters                                                               \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }

void pvm_enter(struct clue_routine *routine, const char *name, const void *site);
/* Ends it: a code below 0 becomes pvm_errno, and is reported on stderr if the task wants that. */
int pvm_leave(int code);

/* ------------------------------------------------- buffers */

/* A part of a message that was left in place. */
struct pvm_part {
    const void *data;
    size_t bytes;
};

struct pvm_buffer {
    int id; /* > 0; or 0: the buffer is not in use */
    int encoding;
    int tag, source; /* of a message; SOURCE: the sender's tid */
    int context;
    char *bytes;
    size_t n, room, at; /* AT: where unpacking continues */
    size_t packed;      /* packed bytes for which no send has taken the time yet */
    struct pvm_part *parts;
    size_t n_parts;
    int wait_id;
};

struct pvm_handler {
    int id, source, tag, context;
    int (*run)(int buffer);
};

enum { PVM_OPTIONS = 26 };

struct pvm_task {
    int tid, parent;
    struct pvm_buffer *buffers; /* the buffer at index i has id i + 1 */
    size_t n_buffers;
    int send_buffer, receive_buffer;
    int context, depth;
    int options[PVM_OPTIONS];
    int error;
    const char *routine;         /* name of the call that runs */
    int (*match)(int, int, int); /* set by pvm_recvf(); NULL: compares tag and source */
    struct pvm_handler *handlers;
    size_t n_handlers;
    int *pulled; /* buffers of messages that were looked at and not taken */
    size_t n_pulled;
    int probe_buffer;
    struct pvmhostinfo *hosts;
    struct pvmtaskinfo *tasks;
    struct pvmmboxinfo *mailboxes;
    int *siblings;
    int n_siblings;
};

/* ------------------------------------------------- the virtual machine */

/* Knowledge of a task, also of one that has not called PVM yet. */
struct pvm_known {
    bool has_left;
    char *program;
    int parent;
    int *siblings;
    int n_siblings;
};

/* Data that all tasks share. */
struct pvm_machine {
    struct pvm_known *known; /* by task number */
    int n_known;
    struct notice *notices;
    size_t n_notices;
    struct pvm_named *groups, *mailboxes;
    struct pvm_named *routines; /* with the numbers of functions */
    uint32_t n_routines;
    int last_host, last_context;
};
struct pvm_machine *pvm_machine(void);
/* The begin of all structs that are found by name. */
struct pvm_named {
    struct pvm_named *next;
    char *name;
};
/* Returns the one with NAME in the list *FIRST; if there is none, a new one of BYTES, or NULL for
 * 0. */
void *pvm_named(struct pvm_named **first, const char *name, size_t bytes);
/* Moves BYTES of OLD to a larger place. */
void *pvm_share_more(void *old, size_t bytes, size_t more);
char *pvm_share_text(const char *text);
uint32_t pvm_routine_number(const char *name);
struct pvm_known *pvm_known(int task);

/* Returns the calling task's data, which are made at its first call. */
struct pvm_task *pvm_self(void);

/* Returns a buffer; NULL: there is none with this ID. */
struct pvm_buffer *pvm_buffer_of(struct pvm_task *t, int id);
/* Creates a buffer; NULL: no memory. */
struct pvm_buffer *pvm_buffer_new(struct pvm_task *t, int encoding);
void pvm_buffer_free(struct pvm_task *t, int id);
/* Creates a buffer with N bytes of a message, at DATA or (NULL) to be filled in; NULL: no memory.
 * Nothing of it is in place. */
struct pvm_buffer *pvm_buffer_of_bytes(struct pvm_task *t, int encoding, const void *data,
                                       size_t n);
/* Makes room for N more bytes; NULL: no memory. */
char *pvm_buffer_grow(struct pvm_buffer *b, size_t n);
/* Gathers what is sent, also parts in place. False: no memory. */
bool pvm_buffer_gather(struct pvm_buffer *b);
/* Returns bytes, tag and source of a message to those pointers that are not NULL. */
int pvm_buffer_describe(const struct pvm_buffer *b, int *bytes, int *tag, int *source);
/* Makes ID the active receive buffer, and frees the one before. Returns ID. */
int pvm_buffer_receive(struct pvm_task *t, int id);

/* A type of items, numbered as in pvm_psend(). */
struct pvm_type {
    size_t size;    /* size of a number in memory */
    size_t xdr;     /* size in XDR, as PVM writes it: 4 bytes for a long */
    unsigned parts; /* numbers in an item: 2 for complex ones */
};
extern const struct pvm_type pvm_types[];
static inline size_t pvm_bytes(int type, int n)
{
    return (size_t)n * pvm_types[type].size * pvm_types[type].parts;
}
int pvm_pack(const void *data, int type, int n, int stride);
int pvm_unpack(void *data, int type, int n, int stride);
/* Creates a buffer with N packed items, next to the active one; returns its id, or a code. */
int pvm_buffer_with(struct pvm_task *t, int encoding, const void *data, int type, int n);

/* ------------------------------------------------- messages */

/* Contexts of clue that PVM uses itself. Those of programs are PVM's numbers. */
enum pvm_own_context { PVM_CONTEXT_GROUPS = 1 << 30, PVM_CONTEXT_MAILBOXES };

/* Sends buffer ID to TASK, a number of clue. */
int pvm_send_to(struct pvm_task *t, int task, int context, int tag, int id);
/* Receives a message of TASK (CLUE_ANY) into a new buffer; returns its id, 0: none has come. NS:
 * waits so long, 0 not at all, < 0 for ever. */
int pvm_receive_from(struct pvm_task *t, int task, int context, int tag, int64_t ns);
/* Sends an empty message within the library; it takes no time if IS_FREE. */
void pvm_signal(int task, uint64_t context, int tag, bool is_free);
void pvm_await(int task, uint64_t context, int tag, bool is_free);

/* ------------------------------------------------- tasks */

/* Numbers of tasks: host number + 1, shifted by 18 bits, plus the number of the task + 1. */
enum { PVM_HOST_SHIFT = 18, PVM_LOCAL_MASK = (1 << PVM_HOST_SHIFT) - 1 };
int pvm_tid_of(int task);
/* Returns the task of a tid; -1: there is none. */
int pvm_task_number(int tid);
static inline int pvm_host_tid(int host)
{
    return (host + 1) << PVM_HOST_SHIFT;
}
void pvm_groups_leave_all(int tid);
void pvm_mailboxes_leave(int tid);

#endif
