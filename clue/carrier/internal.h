/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of carrier/: contexts, programs, ranks and the state of a run. */
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

/* A rank that is not running: its stack pointer (registers are on the stack), and thread
 * pointer. */
struct context {
    void *stack, *thread;
};
/* Saves the running context in FROM and continues TO. In assembly, since a compiler may keep
 * addresses of thread-locals. */
void clue_switch(struct context *from, const struct context *to);
/* Prepares a context that begins with FUNCTION, on a stack that ends at TOP. */
void clue_context_make(struct context *c, uint8_t *top, void *thread, void (*function)(void));
/* Leaves the running context for the program's entry, with the words of main() at STACK. */
void clue_enter(void *stack, uint64_t entry) __attribute__((noreturn));
/* Finds out how thread pointers are changed here. */
void clue_context_begin(void);

/* A function that is called at a rank's exit. */
struct exit_handler {
    void (*function)(void *arg);
    void (*on_exit)(int status, void *arg); /* or this one, if `function` is NULL */
    void *arg;
};

/* The state of getopt(3) for programs without copies of its variables, and the options found. */
struct option_state {
    int index, error, option;
    char *argument;
    struct found_option {
        int result, which, index, option;
        char *argument;
    } * found;
    size_t n_found, room, n_taken;
    int handed_out; /* the last index that was returned */
    char *const *argv;
    const char *letters;
};

/* A program, and the layout of a rank's memory that runs it. */
struct program {
    char *path, *real; /* REAL: without links, from the root, or NULL */
    struct image_set set;
    size_t stride, thread_bytes, images_at;
};

/* An entry of clue_at_exit(). */
struct exit_call {
    enum clue_owner owner;
    void (*run)(void);
};

/* The begin of a heap of glibc: struct _heap_info. The first heap has none. */
struct heap {
    void *arena;
    struct heap *before;
    size_t bytes;
};

/* A block of memory that malloc() mapped. */
struct block {
    void *at;
    size_t bytes;
};
enum { RANK_BLOCKS = 32 };

struct rank {
    struct context context;
    int task;
    const struct program *program;
    uint8_t *base;        /* begin of its images */
    uint8_t *stack, *top; /* STACK: its lowest address; TOP: the words of main(), above it */
    void *own[CLUE_OWNERS];
    uint32_t recorded_as; /* set by clue_record_as() */
    /* The routine of the call that it is in, or was in last. */
    const struct clue_routine *routine;
    const void *site;
    int depth;
    /* State of the running burst, set at its begin. */
    uint64_t began_ticks;
    int64_t began_cpu;         /* the processor's time at its begin */
    const struct heap *heap;   /* where malloc() takes memory from; NULL: not known */
    size_t n_blocks;           /* number of large blocks so far */
    unsigned fetches_skipped;  /* how many of the next fetches are skipped */
    double fetch_ticks;        /* duration of the last fetch; 0: it was short */
    struct burst_start *start; /* the call after which the burst began */
    int kind;                  /* enum burst_kind */
    double clocks_ns;          /* cost of reading clocks in the call before the burst */
    bool was_switched;         /* others have run since its burst before */
    bool is_cold;              /* its data have not been fetched since others ran */
    /* Time of calls with a law and of first touches within calls: FRONTS_NS in this burst up to
     * now, and before its last such call. And where the present one returns. */
    int64_t fronts_ns;
    const void *front_back;
    struct exit_call calls[CLUE_OWNERS];
    int n_calls;
    struct exit_handler *handlers;
    size_t n_handlers, room_handlers;
    struct sigaction *actions; /* by signal; NULL: the rank has set none */
    sigset_t mask, pending;    /* while others run, if `has_masks` of the carrier */
    _Atomic uint64_t held;     /* bits of signals that are held until the rank is not in a call */
    struct option_state options;
    struct random_data random; /* state of rand() */
    char random_bytes[128];
    struct drand48_data random48;
    char *token;         /* state of strtok() */
    struct tm date;      /* result of gmtime() and localtime() */
    char date_text[100]; /* result of asctime() and ctime() */
    char **environment;  /* NULL: it uses the process's */
    char *folder;        /* its working folder after chdir(); NULL: the run's */
    int streams[3];      /* its own standard output and errors, by descriptor; or 0 */
    bool has_umask;
    mode_t umask;
    int status;
    bool is_over;
    unsigned n_polls, polls; /* polls without result, as in the carrier */
    bool is_written;         /* others may write into its memory: it had a standing receive */
    struct apart *apart;     /* its process; NULL: it is folded */
    struct block blocks[RANK_BLOCKS]; /* the last large blocks, also freed ones */
};

/* The data of a rank that are needed first when it runs: end of stack and libraries' data, in one
 * array for all ranks, so that they can be prefetched without loading the rank first. */
struct stand {
    const void *stack, *library;
};

struct carrier {
    const struct clue_run *run;
    struct clue_engine *engine;
    struct program **programs; /* the first is the program of the run */
    size_t n_programs;
    struct rank **ranks;
    size_t n_ranks, room_ranks, room_stands;
    struct stand *stands; /* by rank */
    struct rank *current; /* NULL: no rank runs, and time is real */
    struct context main;
    bool may_change;           /* the program may change the machine */
    void *shared[CLUE_OWNERS]; /* shared memory of folded ranks */
    int verdict;               /* clue_engine_next()'s result for the main context */
    const struct portolan_mpi_observer *observer;
    size_t stack_bytes;
    struct clue_remark *remarks;
    size_t n_remarks;
    struct portolan_error error; /* why the run ended, if it failed */
    struct bursts *bursts;       /* of burst.c; NULL: bursts are not measured */
    struct recording *recording; /* of record.c; NULL: the run is not recorded */
    struct clue_table *table;    /* of table.c; NULL: computing is not by table */
    struct payload *payloads;    /* apart_server.c: data that are not delivered yet */
    const void *last_delivered;
    int exit_status;
    bool has_failed;
    unsigned n_polls, polls; /* POLLS: series of polls without result; N_POLLS: in the present
                              * one */
    unsigned reported_polls; /* value of `polls` at the last warning */
    int process;             /* number of this process: a child that a rank has forked is no rank */
    bool is_forked;          /* this process is such a child */
    bool has_masks;          /* a rank has set a mask of signals: from then on each has its own */
    sigset_t mask;           /* the mask before that, and while no rank runs */
    /* State of the process that ranks have changed for themselves: the run's, and the present
     * one. */
    bool has_changed;
    char *folder; /* NULL: no rank has left it */
    const char *is_in;
    int streams[3], is_on[3]; /* 0: no rank has its own */
    bool has_umask;
    mode_t umask;
};
extern struct carrier clue_carrier;

/* The C library's own function of a name that libportolan-clue.so defines, too. */
#define REAL(function)                                                                             \
    __extension__({                                                                                \
        static __typeof__(function) *real;                                                         \
        if (!real)                                                                                 \
            *(void **)&real = dlsym(RTLD_NEXT, #function);                                         \
        real;                                                                                      \
    })

/* rank.c: the memory and the life of ranks. */
/* Adds a rank; returns NULL without memory. */
struct rank *clue_rank_add(struct carrier *c);
/* Adds N ranks, with the words of main(). */
enum portolan_status clue_ranks_make(struct carrier *c, const struct program *program,
                                     char *const *words, int n, struct portolan_error *err);
void clue_ranks_free(struct carrier *c);
/* Removes the ranks after the first N, which have not begun. */
void clue_ranks_drop(struct carrier *c, size_t n);

/* load.c: loads a program and its libraries, each once. NAME is as for execvp(3). */
/* Checks whether the system can load the program; returns its path (malloc'ed) or NULL. CHANGES:
 * whether it may change the machine. */
char *clue_check_program(const char *name, bool *changes, struct portolan_error *err);
/* Returns whether each rank has its own data of the library FILE, unless options say otherwise. */
bool clue_is_own(const char *file);
enum portolan_status clue_load(struct carrier *c, const char *name, const struct program **program,
                               struct portolan_error *err);
void clue_programs_free(struct carrier *c);

/* turn.c: ranks take turns. */
/* Hands on the turn of a rank that has ended, and never returns. */
void turn_end(struct carrier *c) __attribute__((noreturn));
/* Ends the run from within a rank, for the reason in the carrier's `error`. */
void turn_stop(struct carrier *c) __attribute__((noreturn));
/* Lets others write into the rank's memory what they sent until now, before its program looks. */
void turn_let_write(struct carrier *c);

/* spawn.c */
/* Starts N more ranks of PROGRAM, folded or apart, on HOSTS. The engine does not know them yet. */
enum portolan_status clue_ranks_begin(struct carrier *c, const char *program, char *const *words,
                                      const int *hosts, int n, struct portolan_error *err);
/* call.c */
/* Ends the calling rank. */
void clue_rank_over(int status) __attribute__((noreturn));
/* Reports the call of RANK to the observer; RANK must be the current one. */
void clue_notify_call(const struct rank *rank, enum portolan_mpi_event_kind kind);

/* program.c: begin and end of a rank's program. INIT calls the constructors of a program that does
 * this itself (before glibc 2.34). */
typedef void clue_init_fn(int argc, char **argv, char **environment);
int clue_start_main(int (*program)(int, char **, char **), int argc, char **argv,
                    clue_init_fn *init);
void clue_finalize(void *object);
void *clue_tls_address(const uint64_t index[2]);
/* Replace exec(3)'s functions, whatever their arguments, and end the run. */
void clue_execl(void), clue_execlp(void), clue_execle(void), clue_execv(void), clue_execvp(void),
    clue_execvpe(void), clue_execve(void), clue_fexecve(void);

/* libc_state.c: the state of the C library that each rank has for itself. */
void clue_state_begin(struct rank *rank);
void clue_state_end(struct rank *rank);
/* Gives the process the working folder, umask and standard streams of RANK; NULL: of the run. */
void clue_process_of(const struct rank *rank);
bool clue_override(const char *name, uint32_t *base, uint64_t *value);

/* clock.c, also for ranks that are processes: reads this machine's clock; programs do not see
 * it. */
int clue_real_clock(clockid_t clock, struct timespec *now);
int64_t clue_real_ns(clockid_t clock);
/* Returns whether the caller is a rank. */
bool clue_is_virtual(void);
/* Returns the date at the begin of the run. */
int64_t clue_epoch_ns(void);
/* Number of the carrier's own routines, which are not reported to observers. */
enum { CLUE_NO_NUMBER = UINT32_MAX };

/* burst.c: the time that the current rank computes. */
/* Returns whether bursts are measured. With laws, those without a law are. */
bool clue_is_measured(const struct clue_run *run);
void clue_burst_begin(struct carrier *c);
/* Ends the burst; returns its nanoseconds on this machine's processor. */
int64_t clue_burst_end(struct carrier *c, const void *site);
/* Adds the cost of reading a clock to the next burst. */
void clue_burst_clock(const struct carrier *c);
/* Prepares measuring. ENOMEM. */
enum portolan_status clue_bursts_start(struct carrier *c, struct portolan_error *err);
void clue_bursts_end(struct carrier *c, struct clue_bursts *sums);
/* Returns the costs of measuring; call it only while bursts are measured. */
const struct burst_costs *clue_burst_costs(const struct carrier *c);

/* touch.c: clue_engine_settings.deliver */
void clue_burst_deliver(int task, const struct clue_receive *receive,
                        const struct clue_message *message);

/* site.c: returns a number for the place of a call, the same in all ranks and runs. */
uint64_t clue_site_key(const struct rank *rank, const void *call);

/* memory.c: fetches a rank's memory into the cache. Returns false, and does nothing, if the rank
 * has much more than a core's own cache holds. */
bool clue_memory_fetch(struct rank *rank);
void clue_fetch(const volatile uint8_t *from, size_t bytes);

/* law.c: laws of computing, for --compute=model. */
struct burst_law;
/* Returns the law of bursts that end at SITE; NULL: they are measured. It is slow. */
struct burst_law *clue_law_at(const struct rank *rank, const void *site);
struct burst_law *clue_law_of_function(const char *name);
/* Returns the time by a law on this machine's processor; ARGUMENTS are the call's, or NULL. */
int64_t clue_law_time(struct burst_law *law, const struct rank *rank, const uint64_t *arguments);
/* Checks the laws when the program is loaded. EINVAL: one is of a function that it does not
 * call. */
enum portolan_status clue_laws_check(struct portolan_error *err);
void clue_laws_end(struct clue_bursts *sums, bool has_failed);

/* front.c: puts a front in the place of the function NAME, if it has a law. */
void clue_front(const struct image_set *set, const char *name, uint32_t *base, uint64_t *value);

/* set_parameter.c: what <portolan/clue.h> calls. */
int clue_change_machine(const char *parameter, const char *from, const char *to, double value);

/* cxx.c: support for C++. */
void clue_cxx_begin(void);

/* fault.c: faults and deadlocks. */
/* Ends the run for a signal that RANK does not handle; in a process that is no rank, ends that. */
void clue_report_fault(int signal, siginfo_t *info, void *machine);
/* Reports that a process which a rank has forked calls a library, and ends it. */
void clue_refuse_child(const struct clue_routine *routine) __attribute__((noreturn));
void clue_faults_begin(void);
void clue_faults_end(void);
/* Returns whether a program that gets SIGNAL cannot go on, because it would fail again at once. */
bool clue_is_fault(int signal);
/* Ends the run because the current rank has got SIGNAL, at WHERE (malloc'ed, or NULL). */
void clue_fault(int signal, char *where) __attribute__((noreturn));
void clue_report_deadlock(struct carrier *c);
/* Warns of ranks that poll without result, if all others wait. */
void clue_report_polls(struct carrier *c);
/* Remarks on messages that were never received. */
void clue_report_left(struct carrier *c);

/* signals.c: sigaction(2) and signal(2) for images. */
int clue_own_sigaction(int signal, const struct sigaction *new, struct sigaction *old);
void (*clue_own_signal(int signal, void (*handler)(int)))(int);
int clue_own_sigprocmask(int how, const sigset_t *set, sigset_t *old);
/* Changes the signal mask after rank FROM (NULL: none) has run and before TO runs; signals that
 * wait for FROM go on waiting. */
void clue_switch_masks(struct rank *from, struct rank *to);
/* Delivers the signals that were held while RANK, which runs, was in its call. */
void clue_give_held(struct rank *rank);
int clue_own_kill(pid_t process, int signal);
int clue_own_raise(int signal);
/* Replace alarm(2) and setitimer(2): the timers are those of the process, which is reported. */
unsigned clue_own_alarm(unsigned seconds);
int clue_own_setitimer(int which, const struct itimerval *new, struct itimerval *old);
/* Stops the timers that RANK set last, as the end of a process does. */
void clue_timers_end(const struct rank *rank);

/* libc_state.c: returns the copy of a library's variable that the program of RANK has; NULL: none.
 */
void *clue_copy_of(const struct rank *rank, const char *name);

/* remark.c: what the end of a run reports. */
void clue_remark(bool is_mistake, const char *text, const struct rank *rank, const void *site);

/* call_site.c: places in the source. */
/* Returns SITE as "file.c:12 (function)", as far as it is known; the caller frees the text. */
char *clue_where(const struct rank *rank, const void *site);

#endif
