/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * base: status codes, error text, logging, arenas, growing texts, and the cohort.
 *
 * Every other room may use this header and it uses none of them. Functions are safe to call from
 * any thread unless they say otherwise. No function here prints or exits.
 */
#ifndef PORTOLAN_BASE_H
#define PORTOLAN_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Marks what a shared object exports; everything else is hidden. */
#define PORTOLAN_API __attribute__((visibility("default")))

/** Lets the compiler check the printf arguments of a function: FMT and FIRST are positions from 1.
 */
#define PORTOLAN_PRINTF(FMT, FIRST) __attribute__((format(printf, FMT, FIRST)))

/**
 * One row per status: name, number, text, and the gov.cca.CCAExceptionType it becomes when it
 * leaves a port (CCA specification 0.8.5). Only the framework's exceptions.c converts.
 */
#define PORTOLAN_STATUS_LIST(X)                                                                    \
    X(OK, 0, "success", Unexpected)                                                                \
    X(ENOMEM, -1, "out of memory", OutOfMemory)                                                    \
    X(EINVAL, -2, "invalid argument", Nonstandard)                                                 \
    X(ENOTFOUND, -3, "not found", Nonstandard)                                                     \
    X(EEXISTS, -4, "already exists", Nonstandard)                                                  \
    X(EUNSUPPORTED, -5, "not supported", Nonstandard)                                              \
    X(EBUSY, -6, "in use", PortNotInUse)                                                           \
    X(ETIMEOUT, -7, "timed out", Nonstandard)                                                      \
    X(EIO, -8, "input or output failed", Nonstandard)                                              \
    X(ESYNTAX, -9, "bad input", Nonstandard)                                                       \
    X(EFOREIGN, -10, "not Portolan's own", Nonstandard)                                            \
    X(EMISMATCH, -11, "ranks disagree", Nonstandard)                                               \
    X(ECOMPONENT, -12, "component failed", Nonstandard)                                            \
    X(EPORTNOTDEFINED, -13, "port is not defined", PortNotDefined)                                 \
    X(EPORTDEFINED, -14, "port is already defined", PortAlreadyDefined)                            \
    X(EPORTNOTCONNECTED, -15, "port is not connected", PortNotConnected)                           \
    X(EPORTNOTINUSE, -16, "port is not in use", PortNotInUse)                                      \
    X(EPORTINUSE, -17, "port has not been released", UsesPortNotReleased)                          \
    X(EBADPORTNAME, -18, "bad port name", BadPortName)                                             \
    X(EBADPORTTYPE, -19, "bad port type", BadPortType)                                             \
    X(EBADPROPERTIES, -20, "bad properties", BadProperties)                                        \
    X(EBADPORTINFO, -21, "bad port information", BadPortInfo)                                      \
    X(ENETWORK, -22, "network error", NetworkError)                                                \
    X(EINFEASIBLE, -23, "no choice satisfies the constraints", Nonstandard)                        \
    X(EINTERNAL, -24, "internal error", Unexpected)

enum portolan_status {
#define PORTOLAN_STATUS_ENUM(name, number, text, cca) PORTOLAN_##name = number,
    PORTOLAN_STATUS_LIST(PORTOLAN_STATUS_ENUM)
#undef PORTOLAN_STATUS_ENUM
};

/** The text of a status, never NULL; "unknown status" for any other number. */
PORTOLAN_API const char *portolan_status_text(enum portolan_status status);

/** The first cause of a failure. Start it as `{0}`; it owns no memory. */
struct portolan_error {
    enum portolan_status status;
    char text[1000];
};

/**
 * Notes a cause unless ERR already holds one (the first cause is the one worth reading), and
 * returns STATUS, so that failing is one line. ERR may be NULL. A text that is too long is cut.
 */
PORTOLAN_API enum portolan_status portolan_error_set(struct portolan_error *err,
                                                     enum portolan_status status,
                                                     const char *format, ...) PORTOLAN_PRINTF(3, 4);

/** Notes that memory ran out, and returns PORTOLAN_ENOMEM. */
PORTOLAN_API enum portolan_status portolan_no_memory(struct portolan_error *err);

/** Prefixes the text noted in ERR with words, as "words: text". */
PORTOLAN_API void portolan_error_prefix(struct portolan_error *err, const char *format, ...)
    PORTOLAN_PRINTF(2, 3);

/**
 * Where a reader of files reports what is wrong with them. `report` is called once per problem
 * with the file's name, line and column (from 1; column 0 = whole line) and a text that says what
 * is wrong and what would be right; the strings are borrowed for the call.
 */
struct portolan_diagnostics {
    void (*report)(void *arg, const char *file, int line, int column, const char *text);
    void *arg;
    int count; /**< problems reported so far; the reader increments it */
};

/** Counts a problem and reports it. D and its `report` may be NULL (then it is only counted). */
PORTOLAN_API void portolan_diagnose(struct portolan_diagnostics *d, const char *file, int line,
                                    int column, const char *format, ...) PORTOLAN_PRINTF(5, 6);

/**
 * For readers that count their own problems: a diagnostics {portolan_diagnostics_relay, &relay}
 * passes every problem to the user's, and the first also becomes ERR's text (PORTOLAN_ESYNTAX,
 * "file:line: error: …").
 */
struct portolan_diagnostics_relay {
    struct portolan_diagnostics *user;
    struct portolan_error *err;
};
PORTOLAN_API void portolan_diagnostics_relay(void *relay, const char *file, int line, int column,
                                             const char *text);

enum portolan_log_level {
    PORTOLAN_LOG_DEBUG,
    PORTOLAN_LOG_INFO,
    PORTOLAN_LOG_NOTICE, /**< what a user wants to see in a normal run: progress, swaps, choices */
    PORTOLAN_LOG_WARNING
};

/** AREA is the room or component that logs; TEXT does not end with a newline. */
typedef void (*portolan_log_fn)(void *arg, enum portolan_log_level level, const char *area,
                                const char *text);

/** Installs the receiver of messages (NULL, the default: drop them); not while threads log. */
PORTOLAN_API void portolan_log_set_handler(portolan_log_fn handler, void *arg);

/** Formats a message and passes it to the handler, on the calling thread. */
PORTOLAN_API void portolan_log(enum portolan_log_level level, const char *area, const char *format,
                               ...) PORTOLAN_PRINTF(3, 4);

/** Zeroed memory for COUNT × SIZE bytes; NULL when the product overflows or memory runs out. The
 * caller frees it. */
PORTOLAN_API void *portolan_calloc(size_t count, size_t size);

/** Like reallocarray(3): checks the product; the old block stays valid on failure. */
PORTOLAN_API void *portolan_reallocarray(void *old, size_t count, size_t size);

/** A copy of TEXT (NULL gives NULL); the caller frees it. */
PORTOLAN_API char *portolan_strdup(const char *text);

/** Replaces control characters of TEXT by blanks, also DEL and those of two bytes in UTF-8: a
 * terminal obeys them. KEPT has those that stay, as "\n". NULL is legal. */
PORTOLAN_API void portolan_clean_text(char *text, const char *kept);

/**
 * Tests only: the COUNT-th allocation from now through the functions above or from an arena fails
 * (1 = the next); 0 switches this off.
 */
PORTOLAN_API void portolan_alloc_fail_at(unsigned long count);

/** printf into fresh memory; NULL when memory runs out; the caller frees it. */
PORTOLAN_API char *portolan_asprintf(const char *format, ...) PORTOLAN_PRINTF(1, 2);

/**
 * Puts BYTES in the file PATH as a whole: readers see the old file or the new one, and if the disk
 * is full the old one remains. Permissions are kept, and a link remains a link; devices and pipes
 * are written to directly. Errors: EIO (also for a link of another user's), ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_replace_file(const char *path, const char *bytes,
                                                        size_t length, struct portolan_error *err);

/** Writes all bytes, even if signals interrupt it; false, with errno, when it cannot. */
PORTOLAN_API bool portolan_write_all(int fd, const char *bytes, size_t length);

/**
 * Memory that is freed all at once, such as the result of reading a file or one run of a generator.
 * Start it as `{0}`; one thread at a time. After a failure `failed` stays set, so that a whole run
 * can be checked at its end; earlier allocations stay valid.
 */
struct portolan_arena {
    struct portolan_arena_block *blocks;
    char *next;
    size_t left;        /**< bytes after `next` */
    size_t block_bytes; /**< of the newest block: they grow */
    bool failed;
    /** OPTIONAL: called when memory runs out, before NULL is returned; may leave by longjmp. */
    void (*no_memory)(void *arg);
    void *no_memory_arg;
};

/**
 * Zeroed memory for COUNT × SIZE bytes, aligned for anything, until portolan_arena_clear(); a
 * pointer of its own even for 0 bytes; NULL when the product overflows or memory runs out.
 */
PORTOLAN_API void *portolan_arena_alloc(struct portolan_arena *a, size_t count, size_t size);

/**
 * Makes room for one more item in ITEMS, an array of COUNT items of SIZE bytes that this function
 * made (NULL when COUNT is 0). Returns ITEMS, or a larger array with the items in it (the old one
 * is valid until the arena is cleared), or NULL. For arrays that grow one by one.
 */
PORTOLAN_API void *portolan_arena_grow(struct portolan_arena *a, void *items, size_t count,
                                       size_t size);

/** Texts in the arena; NULL when memory runs out. strndup copies LENGTH bytes and adds a NUL. */
PORTOLAN_API char *portolan_arena_strdup(struct portolan_arena *a, const char *text);
PORTOLAN_API char *portolan_arena_strndup(struct portolan_arena *a, const char *text,
                                          size_t length);
PORTOLAN_API char *portolan_arena_printf(struct portolan_arena *a, const char *format, ...)
    PORTOLAN_PRINTF(2, 3);
PORTOLAN_API char *portolan_arena_vprintf(struct portolan_arena *a, const char *format,
                                          va_list args) PORTOLAN_PRINTF(2, 0);

/** Frees everything; the arena may be used again. */
PORTOLAN_API void portolan_arena_clear(struct portolan_arena *a);

/**
 * A text that grows. Start it as `{0}`, or with `.arena` set to keep the bytes there (then
 * nothing needs freeing). A failed allocation leaves it unchanged and sets `failed`. One thread
 * at a time.
 */
struct portolan_text {
    struct portolan_arena *arena; /**< or NULL: the heap */
    char *bytes;                  /**< NUL-terminated; NULL until something was added */
    size_t length;                /**< without the NUL */
    size_t room;
    bool failed;
};

/** printf at the end of the text. */
PORTOLAN_API void portolan_text_add(struct portolan_text *t, const char *format, ...)
    PORTOLAN_PRINTF(2, 3);
PORTOLAN_API void portolan_text_add_bytes(struct portolan_text *t, const char *bytes,
                                          size_t length);
/**
 * The bytes of a whole file; false, with errno, when it cannot be read, has more than MOST_BYTES
 * (EFBIG), or memory runs out (ENOMEM). The text may then contain part of the file.
 */
PORTOLAN_API bool portolan_text_add_file(struct portolan_text *t, const char *path,
                                         size_t most_bytes);
/**
 * A whole file, mapped for reading, which suits large ones; munmap(2) ends it, and does nothing
 * where *SIZE is 0. NULL, with errno, when it cannot be read or mapped (ENODEV: a folder).
 */
PORTOLAN_API const void *portolan_file_map(const char *path, size_t *size);
/**
 * Adds TEXT as an attribute's value or as content of XML 1.0 (or an HTML label of Graphviz); or as
 * a string of JSON (RFC 8259), with its quotes. Characters that these formats do not allow, and
 * bytes that are not UTF-8, become U+FFFD.
 */
PORTOLAN_API void portolan_text_add_xml(struct portolan_text *t, const char *text);
PORTOLAN_API void portolan_text_add_json(struct portolan_text *t, const char *text);
/** Adds TEXT for within quotes of C, CLIPS or Graphviz: '"' and '\' after a '\', all else as it
 * is. */
PORTOLAN_API void portolan_text_add_escaped(struct portolan_text *t, const char *text);

/**
 * Hands the text over, "" when nothing was added: the caller frees it unless it is an arena's.
 * ENOMEM, with *TEXT NULL, if anything failed. The text is empty afterwards.
 */
PORTOLAN_API enum portolan_status portolan_text_take(struct portolan_text *t, char **text,
                                                     struct portolan_error *err);

/** Frees and empties the text. */
PORTOLAN_API void portolan_text_clear(struct portolan_text *t);

/**
 * A time in readable form, with DIGITS (1 to 9) significant digits, as "19.2 ns", "1.5 s", "2 min
 * 05 s"; "never" when it is infinite or unknown. Returns TEXT, for which 32 bytes are enough.
 */
PORTOLAN_API const char *portolan_format_time(double ns, int digits, char *text, size_t size_bytes);

/**
 * The one of COUNT words KNOWN that is nearest to WORD by edits (insert, delete, replace, swap
 * neighbours), or NULL if none is near enough to suggest. The result is one of KNOWN's pointers.
 */
PORTOLAN_API const char *portolan_nearest_word(const char *word, const char *const *known,
                                               size_t count);
/** The same for COUNT structs of SIZE bytes, each with a word (or NULL); FIRST: that of the first.
 */
PORTOLAN_API const char *portolan_nearest_member(const char *word, const char *const *first,
                                                 size_t count, size_t size);

/**
 * For the end of a message, as `portolan_did_you_mean(near).text`: "; did you mean 'NEAR'?", or ""
 * when NEAR is NULL. The text lives as long as the expression.
 */
struct portolan_hint {
    char text[200];
};
PORTOLAN_API struct portolan_hint portolan_did_you_mean(const char *near);
/** The same for a PATH: the nearest name of a file in its folder; "" if PATH is there. Keeps errno.
 */
PORTOLAN_API struct portolan_hint portolan_did_you_mean_file(const char *path);

/** 32 hexadecimal digits that cannot be guessed. EIO: the system has no random numbers. */
PORTOLAN_API enum portolan_status portolan_random_digits(char digits[33],
                                                         struct portolan_error *err);

/** PATH without its folders. */
PORTOLAN_API const char *portolan_file_name(const char *path);
/** The file of the running program, even if it was replaced meanwhile, in the arena; NULL: no
 * memory, or /proc is not there. */
PORTOLAN_API const char *portolan_program_file(struct portolan_arena *a);
/** NAME, unless it is absolute, in the folder of FILE; in the arena, NULL: no memory. */
PORTOLAN_API const char *portolan_file_beside(struct portolan_arena *a, const char *file,
                                              const char *name);

/** Whether WORD is among WORDS, a text with a blank around each. */
PORTOLAN_API bool portolan_has_word(const char *words, const char *word);

/** Whether C or C++ reserves WORD as a keyword or another name of an operator, up to C++17. */
PORTOLAN_API bool portolan_is_c_word(const char *word);

/**
 * Reads the whole of TEXT as a number, in the form of the C locale whatever the locale is: false if
 * TEXT is NULL or empty, has anything after the number, or does not fit.
 */
PORTOLAN_API bool portolan_read_int64(const char *text, int64_t *value);
PORTOLAN_API bool portolan_read_double(const char *text, double *value);

/**
 * A reader of values with commas between them (RFC 4180, except that a field ends with its line):
 * fields may be quoted, where "" is a quote; blanks around fields, a byte order mark, carriage
 * returns and empty lines are skipped. Set the first five members, the others to 0; then call
 * portolan_csv_begin(), and portolan_csv_next() for each line. One thread at a time.
 */
struct portolan_csv {
    struct portolan_arena *arena; /**< gets the fields; its `failed` is set when memory runs out */
    struct portolan_diagnostics *d;
    const char *file; /**< in messages */
    char separator; /**< ' ': any number of blanks; 0: the first of , ; and tab that the first line
                         has, else blanks */
    char comment;   /**< lines that begin with it are skipped; 0: none */
    int line;       /**< of the fields; set it to one less to begin elsewhere than at 1 */
    size_t n_fields;
    char **fields;        /**< until the next line is read; their texts as long as the arena */
    int *columns;         /**< where they begin */
    const char *at, *end; /* private to the reader, like the rest */
    size_t room;
};

/** Reads TEXT, which must stay until the last line is read. */
PORTOLAN_API void portolan_csv_begin(struct portolan_csv *c, const char *text, size_t size);

/**
 * Goes to the next line with fields; false if there is none, or memory runs out. Lines whose quotes
 * are wrong are reported to D and skipped.
 */
PORTOLAN_API bool portolan_csv_next(struct portolan_csv *c);

/** The answer to a question; UNKNOWN if it depends on a value that is not known. */
enum portolan_answer { PORTOLAN_NO, PORTOLAN_YES, PORTOLAN_UNKNOWN };

/**
 * A condition on named values, such as "symmetric = 1 and not (n > 1e5 or driver.kind = 'a b')":
 *
 *     NAME (= | != | < | <= | > | >=) VALUE, joined by and, or, not and parentheses
 *
 * A name holds anything but blanks, quotes, parentheses and = ! < >; a value is such a word, or any
 * text 'in quotes'. If both sides are numbers (true is 1, false 0), they are compared as numbers;
 * else as texts, which are equal or not but have no order.
 */
struct portolan_condition;

/**
 * *CONDITION is the caller's to destroy. Errors: ESYNTAX with the position and what would be right,
 * ENOMEM; then *CONDITION is NULL. A condition does not change: many threads may evaluate one.
 */
PORTOLAN_API enum portolan_status portolan_condition_parse(const char *text,
                                                           struct portolan_condition **condition,
                                                           struct portolan_error *err);
/** NULL is legal. */
PORTOLAN_API void portolan_condition_destroy(struct portolan_condition *condition);

/** What a name stands for. */
struct portolan_condition_value {
    const char *text; /**< NULL: it is the number */
    double number;
};
/** Puts the value of NAME in *VALUE; false when it is not known. */
typedef bool (*portolan_condition_lookup_fn)(void *arg, const char *name,
                                             struct portolan_condition_value *value);

/**
 * Whether CONDITION holds. A comparison is unknown when its name is, or when it asks for the order
 * of texts; "and", "or" and "not" are unknown only if the unknown part decides.
 */
PORTOLAN_API enum portolan_answer
portolan_condition_evaluate(const struct portolan_condition *condition,
                            portolan_condition_lookup_fn lookup, void *arg);

/**
 * The number that NAME stands for (true is 1, false 0), which must lie between LOW and HIGH. False
 * when it is unknown, a text, or outside.
 */
PORTOLAN_API bool portolan_condition_number(portolan_condition_lookup_fn lookup, void *arg,
                                            const char *name, double low, double high,
                                            double *number);

/** The name in comparison number INDEX, from 0, of CONDITION; NULL when it has fewer. */
PORTOLAN_API const char *portolan_condition_peek_name(const struct portolan_condition *condition,
                                                      size_t index);

/** Number of bytes of the UTF-8 character at TEXT; 0 if there is none, or the text ends. */
PORTOLAN_API size_t portolan_utf8_length(const char *text);

/** 64-bit FNV-1a (Fowler, Noll and Vo) of SIZE bytes, continuing from SEED (0 starts anew). */
PORTOLAN_API uint64_t portolan_hash(const void *bytes, size_t size, uint64_t seed);

/** Merges two blocks into one: see `reduce`. *OUT is malloc'ed; on failure it is not set. */
typedef enum portolan_status (*portolan_cohort_merge_fn)(void *arg, const void *mine,
                                                         size_t mine_bytes, const void *theirs,
                                                         size_t theirs_bytes, void **out,
                                                         size_t *out_bytes);

/**
 * The cohort: the ranks that run the same program (SPMD), and the few collective operations that
 * Portolan itself needs between them. The mpi room makes one over MPI; the one of
 * portolan_cohort_alone() serves a single process.
 *
 * All operations are collective over the cohort: every rank calls them in the same order. They may
 * block. Only one thread may call them at a time. Errors: EIO (the messages failed), ENOMEM, EINVAL
 * (no such root). A struct of this kind reaches components as the framework service port
 * "portolan.Cohort" (a ForeignPort).
 */
struct portolan_cohort {
    int rank; /**< 0 … size-1 */
    int size;
    void *impl;         /**< private to its maker */
    const char *medium; /**< one line: what carries the messages; NULL: nothing does */
    const char *waits;  /**< one line: how ranks wait for each other; NULL: not known */

    /** SIZE_BYTES of BUFFER go from rank ROOT to all. */
    enum portolan_status (*bcast)(struct portolan_cohort *c, void *buffer, size_t size_bytes,
                                  int root);
    /** Every rank gets, entry by entry, the maximum over ranks of VALUES, in place. */
    enum portolan_status (*max)(struct portolan_cohort *c, double *values, size_t count);
    /** Every rank gets, entry by entry, the sum over ranks of VALUES, in place. */
    enum portolan_status (*sum)(struct portolan_cohort *c, double *values, size_t count);
    /**
     * Sends the bytes of every rank up a tree to rank 0. There, *ALL receives one malloc'ed block
     * with the ranks' blocks one after the other in rank order and SIZES_BYTES (SIZE entries, or
     * NULL where the lengths are known) their lengths; the caller frees *ALL. On the other ranks
     * *ALL becomes NULL and SIZES_BYTES may be NULL.
     */
    enum portolan_status (*gather)(struct portolan_cohort *c, const void *bytes, size_t size_bytes,
                                   void **all, size_t *sizes_bytes);
    /**
     * Bytes of all ranks are merged pairwise up a binary tree, so that no rank ever holds more than
     * two blocks: MERGE gets this rank's block and that of a higher rank and makes *OUT, malloc'ed.
     * It is called in rank order (0 with 1, 2 with 3, then the results with each other), on the
     * ranks that have others below them; ARG is its own.
     *
     * *BYTES (malloc'ed, aligned as malloc does) is taken in any case. Rank 0 then has the result
     * there, which the caller frees, the others NULL. If MERGE, memory or a message fails on a
     * rank, that rank and those above it up to rank 0 return the status and *BYTES is NULL; ranks
     * below do not learn of it: for one verdict, call portolan_cohort_agree().
     */
    enum portolan_status (*reduce)(struct portolan_cohort *c, void **bytes, size_t *size_bytes,
                                   portolan_cohort_merge_fn merge, void *arg);
};

/** The cohort of one process; static, never freed. */
PORTOLAN_API struct portolan_cohort *portolan_cohort_alone(void);

/**
 * Collective: brings every rank to the same verdict. STATUS and ERR are those of this rank. When
 * any rank failed, all return the status of the lowest failing rank and ERR holds its text, after
 * "rank N: " unless all failed. Also the errors of the cohort's operations.
 */
PORTOLAN_API enum portolan_status portolan_cohort_agree(struct portolan_cohort *c,
                                                        enum portolan_status status,
                                                        struct portolan_error *err);

/**
 * Collective: all ranks get a copy of rank 0's *TEXT, *SIZE bytes and a NUL, for free(); NULL if it
 * has none. The others' *TEXT is NULL at first. If STATUS is a failure on any rank, all get that.
 */
PORTOLAN_API enum portolan_status portolan_cohort_share(struct portolan_cohort *c, char **text,
                                                        size_t *size, enum portolan_status status,
                                                        struct portolan_error *err);

/** The version of this Portolan, as "0.5.0". */
PORTOLAN_API const char *portolan_version(void);

#ifdef __cplusplus
}
#endif
#endif
