/* SPDX-License-Identifier: BSD-3-Clause */
/* check the program -> make the front -> start -> watch and collect -> report. */
#ifndef WRAP_INTERNAL_H
#define WRAP_INTERNAL_H

#include "shared.h"

#include <portolan/command.h>
#include <portolan/control.h>
#include <portolan/recorder.h>
#include <portolan/wrap.h>

#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { EXIT_OURS = 125, EXIT_CANNOT_RUN, EXIT_NOT_FOUND };

/* ------------------------------------------------------------------ the program */

/* The program to run. */
struct wrap_program {
    const char *file;  /* what is executed */
    const char *image; /* what is loaded then: for a script, its interpreter */
    char **argv;
};

/*
 * Finds the program as a shell does, and refuses programs that ignore LD_PRELOAD; then STATUS
 * becomes the exit status.
 */
enum portolan_status wrap_program_find(struct portolan_arena *arena, char *const *words,
                                       struct wrap_program *program, int *status,
                                       struct portolan_error *err);

/* ------------------------------------------------------------------ ELF files */

/* How an ELF file uses or defines the functions. */
struct wrap_object {
    size_t imports, defines; /* how many of them, in its dynamic symbols */
    size_t holds;            /* how many in its full symbol table (statically linked) */
    const char *example;     /* one of those */
    bool is_symbolic;        /* calls inside it stay inside */
    bool has_interpreter, is_elf, is_ours; /* ours: for this machine */
    bool needs_other_mpi;                  /* than the one that this Portolan was built with */
};

/* Reads FILE; FUNCTIONS may be NULL. PORTOLAN_EIO. Files that are no ELF have is_elf false. */
enum portolan_status wrap_object_read(const char *file, const struct portolan_words *functions,
                                      struct wrap_object *object, struct portolan_error *err);

/* Undefined names of the members of ARCHIVE, in the arena. */
enum portolan_status wrap_archive_needs(struct portolan_arena *arena, const char *archive,
                                        struct portolan_words *names, struct portolan_error *err);

/* The functions that FILE, a front, exports, without those of archive EXITS; in the arena. */
enum portolan_status wrap_object_exports(struct portolan_arena *arena, const char *file,
                                         const char *exits, struct portolan_words *names,
                                         struct portolan_error *err);

/* ------------------------------------------------------------------ the front */

struct wrap_front {
    const char *file;      /* the shared object, an absolute path */
    const char *type;      /* port type */
    const char *papi;      /* shared object that reads counters in the program; NULL: none */
    const char *temporary; /* folder to be removed at the end; or NULL */
    struct portolan_words functions;
};

/* Generates and compiles the front, or finds it in the cache. */
enum portolan_status wrap_front_make(struct portolan_arena *arena,
                                     const struct portolan_wrap_options *options,
                                     struct wrap_front *front,
                                     struct portolan_diagnostics *diagnostics,
                                     struct portolan_error *err);
void wrap_front_remove(const struct wrap_front *front);

/* ------------------------------------------------------------------ running */

/* An implementation: its name in the records, and its file ("" for the program's own). */
struct wrap_library {
    const char *name, *file;
};

/* Methods that stand for the program's own code in records: main thread, and other threads. */
#define WRAP_MAIN          "main"
#define WRAP_THREAD        "thread"
#define WRAP_HANDLE_MAIN   UINT32_MAX
#define WRAP_HANDLE_THREAD (UINT32_MAX - 1)

/* A process that is measured. */
struct wrap_process {
    struct wrap_run *run;
    struct wrap_area *area;
    struct portolan_arena arena; /* what the log said */
    struct portolan_recorder recorder;
    struct portolan_recorder_source source;
    struct portolan_recorder_job job; /* of which the process is a rank; named job_name */
    char job_name[400];
    uint64_t number;   /* of the last snapshot read */
    uint64_t log_read; /* bytes */
    struct portolan_probe_method_info *methods, main, thread;
    size_t n_methods;
    const char **notes;
    size_t n_notes;
    struct portolan_swap *swaps;
    size_t n_swaps, n_swaps_stored;
    struct portolan_facts objects;
    struct portolan_probe_snapshot latest;
    uint64_t calls; /* in the latest snapshot; and in the one stored last */
    uint64_t calls_stored;
    double elapsed_ns, own_ns; /* of the program; and of it outside measured calls */
    bool has_ended, is_cut, is_open;
};

/* One run. */
struct wrap_run {
    struct portolan_arena arena;
    const struct portolan_wrap_options *options;
    struct wrap_program program;
    struct wrap_front front;
    struct wrap_library *libraries;
    size_t n_libraries;
    const char *trial, *user, *port; /* names: of the trials, of the instances */
    const char *assembly_text;       /* of the program and the port, as XML */
    struct portolan_assembly *assembly;

    int file; /* shared with the program */
    struct wrap_file *shared;
    size_t shared_bytes;
    pid_t process;
    int wait_status;
    struct wrap_process *processes[WRAP_AREAS]; /* those seen, one per area */
    struct portolan_control_signal signals[PORTOLAN_CONTROL_SIGNALS];
    size_t n_signals;
    struct stat control; /* the control file as it was obeyed last */
    char *waiting[8];    /* commands not given yet, owned */
    size_t n_waiting;
    bool has_looked;              /* at the control file */
    bool is_answered;             /* the newest command, as far as the reply file says */
    struct portolan_error failed; /* the first failure after the start */
};

/* Starts the program and waits until it has ended. STATUS as in portolan_wrap_result. */
enum portolan_status wrap_watch(struct wrap_run *run, int *status, struct portolan_error *err);

/* ------------------------------------------------------------------ collecting */

/* Stores what the processes have published since the last time, as a step of each. */
void wrap_collect(struct wrap_run *run);

/* After the program has ended: stores the last steps and completes the trials. */
void wrap_collect_end(struct wrap_run *run);
void wrap_collect_clear(struct wrap_run *run);

/* Reads new entries of the log. */
void wrap_log_read(struct wrap_process *p);

/* The newest snapshot, with records for the program's own code. */
enum portolan_status wrap_snapshot_take(struct wrap_process *p, struct portolan_probe_snapshot *to,
                                        struct portolan_error *err);

extern const struct portolan_probe_method_info wrap_unknown_method;
/* The method of a handle in the process. */
const struct portolan_probe_method_info *wrap_method_peek(const struct wrap_process *p,
                                                          uint32_t handle);

/* True if the code inside the program could not begin to measure and ended the process. */
bool wrap_was_refused(const struct wrap_run *run);

/* The shared object of the program's own that has the functions; NULL when none is known. */
const char *wrap_provider(struct wrap_run *run, const struct wrap_process *p);

/* Why no call was seen, in the arena. */
const char *wrap_why(struct wrap_run *run);

/* Text for people, in the arena. */
const char *wrap_report(struct wrap_run *run);

#endif
