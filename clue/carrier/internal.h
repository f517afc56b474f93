/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of carrier/ share. */
#ifndef PORTOLAN_CLUE_CARRIER_H
#define PORTOLAN_CLUE_CARRIER_H

#include "image.h"

#include <portolan/clue_engine.h>
#include <portolan/clue_run.h>
#include <portolan/clue_task.h>

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

/* Where a rank stands while others run: its stack pointer, where its registers are kept, and its
 * thread pointer. */
struct context {
    void *stack, *thread;
};
/* Saves FROM and goes on with TO. In assembly: a compiler may keep addresses of thread-locals. */
void clue_switch(struct context *from, const struct context *to);
/* Prepares a context that begins with FUNCTION, on a stack that ends at TOP. */
void clue_context_make(struct context *c, uint8_t *top, void *thread, void (*function)(void));
/* Leaves the running context for the program's entry, with the words of main() at STACK. */
void clue_enter(void *stack, uint64_t entry) __attribute__((noreturn));
/* Finds out how thread pointers are changed here. */
void clue_context_begin(void);

/* A function to call at a rank's exit. */
struct exit_handler {
    void (*function)(void *arg);
    void (*on_exit)(int status, void *arg); /* or this one */
    void *arg;
};

/* getopt(3)'s variables, where the program does not have copies of its own; and what it found. */
struct option_state {
    int index, error, option;
    char *argument;
    struct found_option {
        int result, which, index, option;
        char *argument;
    } * found;
    size_t n_found, room, n_taken;
    int handed_out; /* the last index */
    char *const *argv;
    const char *letters;
};

/* A program, and where its images and the rest lie in the memory of a rank of it. */
struct program {
    char *path, *real; /* as it was found; without links, from the root, or NULL */
    struct image_set set;
    size_t stride, thread_bytes, images_at;
};

/* What clue_at_exit() noted. */
struct exit_call {
    enum clue_owner owner;
    void (*run)(void);
};

/* The begin of each heap of glibc but the first: struct _heap_info. */
struct heap {
    void *arena;
    struct heap *before;
    size_t bytes;
};

/* Of memory that malloc() mapped. */
struct block {
    void *at;
    size_t bytes;
};
enum { RANK_BLOCKS = 32 };

struct rank {
    struct context context;
    int task;
    const struct program *program;
    uint8_t *base;        /* of its images */
    uint8_t *stack, *top; /* lowest address, and the words of main() */
    void *own[CLUE_OWNERS];
    uint32_t recorded_as; /* clue_record_as() */
    /* The call that it is in, or was in last. */
    const struct clue_routine *routine;
    const void *site;
    int depth;
    /* The burst that runs: how it began. */
    uint64_t began_ticks;
    int64_t began_cpu;         /* the processor's time then */
    const struct heap *heap;   /* or NULL: not known */
    size_t n_blocks;           /* large ones so far */
    unsigned fetches_skipped;  /* of those to come */
    double fetch_ticks;        /* of the last fetch; 0: a short one */
    struct burst_start *start; /* the call after which it began */
    int kind;                  /* enum burst_kind */
    double clocks_ns;          /* reading of clocks in the call before */
    bool was_switched;         /* others have run since its burst before */
    bool is_cold;              /* since they did its data have not been fetched */
    /* Of the burst, before its last call of a function with a law and of all those, with first
     * touches within calls; and where the present one returns. */
    int64_t fronts_ns;
    const void *front_back;
    struct exit_call calls[CLUE_OWNERS];
    int n_calls;
    struct exit_handler *handlers;
    size_t n_handlers, room_handlers;
    struct sigaction *actions; /* by signal; NULL: none was set */
    sigset_t mask, pending;    /* while others run, if the carrier `has_masks` */
    _Atomic uint64_t held;     /* bits of signals that wait until it is not in a call */
    struct option_state options;
    struct random_data random; /* of rand() */
    char random_bytes[128];
    struct drand48_data random48;
    char *token;         /* of strtok() */
    struct tm date;      /* of gmtime() and localtime() */
    char date_text[100]; /* of asctime() and ctime() */
    char **environment;  /* NULL: the process's */
    char *folder;        /* where it went; NULL: nowhere */
    int streams[3];      /* its own standard output and errors, by descriptor; 0: everybody's */
    bool has_umask;
    mode_t umask;
    int status;
    bool is_over;
    unsigned n_polls, polls; /* in vain, as the carrier's */
    bool is_written;         /* others may write into its memory: it has had a standing receive */
    struct apart *apart;     /* it is a process; NULL: it is folded */
    struct block blocks[RANK_BLOCKS]; /* the last large ones, also freed ones */
};

/* What a rank that waits needs first: where its stack ends, and what a library keeps for it. Of all
 * ranks beside each other, since what is fetched must be known without waiting for it. */
struct stand {
    const void *stack, *library;
};

struct carrier {
    const struct clue_run *run;
    struct clue_engine *engine;
    struct program **programs; /* the first is the run's */
    size_t n_programs;
    struct rank **ranks;
    size_t n_ranks, room_ranks, room_stands;
    struct stand *stands; /* by rank */
    struct rank *current; /* NULL: none runs, all is real */
    struct context main;
    bool may_change;           /* the program may change the machine */
    void *shared[CLUE_OWNERS]; /* of folded ranks */
    int verdict;               /* of clue_engine_next(), when the main context goes on */
    const struct portolan_mpi_observer *observer;
    size_t stack_bytes;
    struct clue_remark *remarks;
    size_t n_remarks;
    struct portolan_error error; /* why the run ended */
    struct bursts *bursts;       /* burst.c; NULL: they are not measured */
    struct recording *recording; /* record.c; NULL: the run is not recorded */
    struct clue_table *table;    /* table.c; NULL: computing is not by table */
    struct payload *payloads;    /* serve.c: data that processes have sent, until delivered */
    const void *last_delivered;
    int exit_status;
    bool has_failed;
    unsigned n_polls, polls; /* in vain, one after the other; how often this began */
    unsigned told_polls;     /* of which these were told last */
    int process;             /* its number: a forked one is no rank's */
    bool is_forked;          /* it is one */
    bool has_masks;          /* a rank has set a mask of signals: then each has its own */
    sigset_t mask;           /* before that, and of who runs when no rank does */
    /* What ranks have changed of the process for themselves, as the run had it, and as it is. */
    bool has_changed;
    char *folder; /* NULL if no rank left it */
    const char *is_in;
    int streams[3], is_on[3]; /* 0 if no rank has its own */
    bool has_umask;
    mode_t umask;
};
extern struct carrier clue_carrier;

/* A function of the C library that stands in libportolan-clue.so too. */
#define REAL(function)                                                                             \
    __extension__({                                                                                \
        static __typeof__(function) *real;                                                         \
        if (!real)                                                                                 \
            *(void **)&real = dlsym(RTLD_NEXT, #function);                                         \
        real;                                                                                      \
    })

/* rank.c: memory and life of ranks. */
/* A rank more; NULL: no memory. */
struct rank *clue_rank_add(struct carrier *c);
/* N more ranks, with the words of main(). */
enum portolan_status clue_ranks_make(struct carrier *c, const struct program *program,
                                     char *const *words, int n, struct portolan_error *err);
void clue_ranks_free(struct carrier *c);
/* Those after the first N, which have not begun. */
void clue_ranks_drop(struct carrier *c, size_t n);

/* load.c: a program and its libraries, NAME as execvp(3) takes it; each is loaded once. */
/* Only looks whether it can be loaded by the system; its path, malloc'ed, or NULL. CHANGES: it may
 * change the machine. */
char *clue_look_at(const char *name, bool *changes, struct portolan_error *err);
/* Whether FILE is one of the libraries of which each rank has its own data, if nobody says else. */
bool clue_is_own(const char *file);
enum portolan_status clue_load(struct carrier *c, const char *name, const struct program **program,
                               struct portolan_error *err);
void clue_programs_free(struct carrier *c);

/* turn.c: ranks take turns. */
/* Who has ended its rank hands its turn on for good. */
void turn_end(struct carrier *c) __attribute__((noreturn));
/* Ends the run from within a rank: carrier's `error` says why. */
void turn_stop(struct carrier *c) __attribute__((noreturn));
/* What others write into memory of the rank until now is there: its program may look for it. */
void turn_let_write(struct carrier *c);

/* spawn.c */
/* N more ranks of PROGRAM, folded or apart, on HOSTS, which the engine does not know yet. */
enum portolan_status clue_ranks_begin(struct carrier *c, const char *program, char *const *words,
                                      const int *hosts, int n, struct portolan_error *err);
/* call.c */
/* Ends the calling rank. */
void clue_rank_over(int status) __attribute__((noreturn));
/* Tells the observer of RANK's call; it must be the current one. */
void clue_tell_call(const struct rank *rank, enum portolan_mpi_event_kind kind);

/* program.c: begin and end of a rank's program. INIT: of programs that call the functions of their
 * arrays themselves (before glibc 2.34). */
typedef void clue_init_fn(int argc, char **argv, char **environment);
int clue_start_main(int (*program)(int, char **, char **), int argc, char **argv,
                    clue_init_fn *init);
void clue_finalize(void *object);
void *clue_tls_address(const uint64_t index[2]);
/* In the place of exec(3)'s, whatever their arguments. */
void clue_execl(void), clue_execlp(void), clue_execle(void), clue_execv(void), clue_execvp(void),
    clue_execvpe(void), clue_execve(void), clue_fexecve(void);

/* state.c: what of the C library is each rank's own. */
void clue_state_begin(struct rank *rank);
void clue_state_end(struct rank *rank);
/* Gives the process the working folder, umask and standard streams of RANK, NULL: of the run. */
void clue_process_of(const struct rank *rank);
bool clue_override(const char *name, uint32_t *base, uint64_t *value);

/* clock.c, also of ranks that are processes: the clock of this machine, which programs do not see.
 */
int clue_real_clock(clockid_t clock, struct timespec *now);
int64_t clue_real_ns(clockid_t clock);
/* Whether who calls is a rank. */
bool clue_is_virtual(void);
/* What clocks of the date show when the run begins. */
int64_t clue_epoch_ns(void);
/* The number of a routine of carrier's own: observers are not told of it. */
enum { CLUE_NO_NUMBER = UINT32_MAX };

/* burst.c: the time that the current rank computes. */
/* Whether bursts are measured; with laws, too: those that have none. */
bool clue_is_measured(const struct clue_run *run);
void clue_burst_begin(struct carrier *c);
/* Nanoseconds since its begin, of this machine's processor. */
int64_t clue_burst_end(struct carrier *c, const void *site);
/* It reads a clock: what that takes is part of its next burst. */
void clue_burst_clock(const struct carrier *c);
/* ENOMEM. */
enum portolan_status clue_bursts_start(struct carrier *c, struct portolan_error *err);
void clue_bursts_end(struct carrier *c, struct clue_bursts *sums);
/* While bursts are measured. */
const struct burst_costs *clue_burst_costs(const struct carrier *c);

/* touch.c: clue_engine_settings.deliver */
void clue_burst_deliver(int task, const struct clue_receive *receive,
                        const struct clue_message *message);

/* site.c: where a call stands, the same in all ranks and runs. */
uint64_t clue_site_key(const struct rank *rank, const void *call);

/* memory.c: fetches a rank's memory into the cache; false, and nothing is done: a core's own keeps
 * too little of it. */
bool clue_memory_fetch(struct rank *rank);
void clue_fetch(const volatile uint8_t *from, size_t bytes);

/* law.c: laws of computing, --compute=model. */
struct burst_law;
/* The law of bursts that end at SITE; NULL: they are measured. Takes long. */
struct burst_law *clue_law_at(const struct rank *rank, const void *site);
struct burst_law *clue_law_of_function(const char *name);
/* Of this machine's processor; ARGUMENTS: of the call, or NULL. */
int64_t clue_law_time(struct burst_law *law, const struct rank *rank, const uint64_t *arguments);
/* When the program is loaded. EINVAL: a law of a function that it does not call. */
enum portolan_status clue_laws_check(struct portolan_error *err);
void clue_laws_end(struct clue_bursts *sums, bool has_failed);

/* front.c: puts a front in the place of the function NAME, if it has a law. */
void clue_front(const struct image_set *set, const char *name, uint32_t *base, uint64_t *value);

/* change.c: what <portolan/clue.h> calls. */
int clue_change_machine(const char *parameter, const char *from, const char *to, double value);

/* cxx.c */
void clue_cxx_begin(void);

/* fault.c */
/* Ends the run for a signal that RANK does not want; of a process that is no rank's: itself. */
void clue_tell_fault(int signal, siginfo_t *info, void *machine);
/* A process that a rank has forked calls a library: tells it, and ends. */
void clue_refuse_child(const struct clue_routine *routine) __attribute__((noreturn));
void clue_faults_begin(void);
void clue_faults_end(void);
/* Whether a program that gets SIGNAL cannot go on: it would do the same again. */
bool clue_is_fault(int signal);
/* Ends the run: the current rank has got SIGNAL, at WHERE (malloc'ed or NULL). */
void clue_fault(int signal, char *where) __attribute__((noreturn));
void clue_tell_deadlock(struct carrier *c);
/* Warns of ranks that poll in vain, if all others wait. */
void clue_tell_polls(struct carrier *c);
/* Remarks on messages that were never received. */
void clue_tell_left(struct carrier *c);

/* signals.c: sigaction(2) and signal(2) of images. */
int clue_own_sigaction(int signal, const struct sigaction *new, struct sigaction *old);
void (*clue_own_signal(int signal, void (*handler)(int)))(int);
int clue_own_sigprocmask(int how, const sigset_t *set, sigset_t *old);
/* Rank FROM (NULL: none) has run, and TO runs now: signals that wait for FROM go on waiting. */
void clue_switch_masks(struct rank *from, struct rank *to);
/* RANK, which runs, has left its call: gives it what was held. */
void clue_give_held(struct rank *rank);
int clue_own_kill(pid_t process, int signal);
int clue_own_raise(int signal);
/* alarm(2) and setitimer(2), which are told. */
unsigned clue_own_alarm(unsigned seconds);
int clue_own_setitimer(int which, const struct itimerval *new, struct itimerval *old);
/* Stops the timers that RANK set last, as the end of a process would. */
void clue_timers_end(const struct rank *rank);

/* state.c: the copy of a library's variable that the program of RANK has; NULL: none. */
void *clue_copy_of(const struct rank *rank, const char *name);

/* remark.c */
void clue_remark(bool is_mistake, const char *text, const struct rank *rank, const void *site);

/* where.c */
/* SITE as "file.c:12 (function)", as far as it is known; the text is freed by the caller. */
char *clue_where(const struct rank *rank, const void *site);

#endif
