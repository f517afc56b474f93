/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of the C library that programs take for their own: that of getopt(3), which they may
 * have copies of, that of random numbers, texts and dates, the environment and the working folder.
 * Only images reach these functions, through clue_override().
 */
#include "internal.h"

#include <portolan/list.h>

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Defines a function by an expression. */
#define OWN(type, name, parameters, ...)                                                           \
    static type own_##name parameters                                                              \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }

/* ------------------------------------------------- getopt */

static const struct {
    const char *name;
    size_t offset; /* in struct rank */
} variables[] = {
    {"optind", offsetof(struct rank, options.index)},
    {"opterr", offsetof(struct rank, options.error)},
    {"optopt", offsetof(struct rank, options.option)},
    {"optarg", offsetof(struct rank, options.argument)},
};
enum { INDEX, ERROR, OPTION, ARGUMENT, VARIABLES };

void *clue_copy_of(const struct rank *rank, const char *name)
{
    const struct image *program = &rank->program->set.images[0];

    for (size_t i = 0; i < program->n_copies; i++)
        if (strcmp(program->copies[i].name, name) == 0)
            return rank->base + program->offset + program->copies[i].at;
    return NULL;
}

/* Returns the variable of the rank's program: the program's copy, or the rank's own. */
static void *variable_of(struct rank *rank, int which)
{
    void *copy = clue_copy_of(rank, variables[which].name);

    return copy ? copy : (char *)rank + variables[which].offset;
}

typedef int parse_fn(int argc, char *const *argv, const char *letters, const struct option *names,
                     int *which);

/*
 * Finds all options in a rank's arguments at its first call; later calls return them one by one.
 * The C library keeps its position in the arguments of its last caller, and ranks may call in turn.
 */
static void find_options(struct rank *rank, int argc, char *const *argv, const char *letters,
                         const struct option *names, int begin, parse_fn *parse)
{
    struct option_state *o = &rank->options;
    int shift = begin > 1 && begin < argc ? begin - 1 : 0;
    struct found_option found;

    o->n_found = o->n_taken = 0;
    optind = 0;
    opterr = *(int *)variable_of(rank, ERROR);
    do {
        found.which = -1;
        found.result = parse(argc - shift, argv + shift, letters, names, &found.which);
        found.index = optind + shift;
        found.option = optopt;
        found.argument = optarg;
        if (!portolan_reserve(&o->found, &o->room, o->n_found + 1, sizeof found))
            clue_fail("out of memory");
        o->found[o->n_found++] = found;
    } while (found.result != -1);
}

static int get_option(int argc, char *const *argv, const char *letters, const struct option *names,
                      int *which, parse_fn *parse)
{
    struct rank *rank = clue_carrier.current;
    struct option_state *o = &rank->options;
    int *index = variable_of(rank, INDEX);
    const struct found_option *next;

    if (o->n_taken == o->n_found || o->argv != argv || o->letters != letters ||
        *index != o->handed_out)
        find_options(rank, argc, argv, letters, names, *index, parse);
    o->argv = argv;
    o->letters = letters;
    next = &o->found[o->n_taken++];
    *index = o->handed_out = next->index;
    *(int *)variable_of(rank, OPTION) = next->option;
    *(char **)variable_of(rank, ARGUMENT) = next->argument;
    if (which && next->which >= 0)
        *which = next->which;
    return next->result;
}

static int parse_letters(int argc, char *const *argv, const char *letters,
                         const struct option *names, int *which)
{
    (void)names, (void)which;
    return getopt(argc, argv, letters);
}

OWN(int, getopt, (int argc, char *const *argv, const char *letters),
    get_option(argc, argv, letters, NULL, NULL, parse_letters))
OWN(int, getopt_long,
    (int argc, char *const *argv, const char *letters, const struct option *names, int *which),
    get_option(argc, argv, letters, names, which, getopt_long))
OWN(int, getopt_long_only,
    (int argc, char *const *argv, const char *letters, const struct option *names, int *which),
    get_option(argc, argv, letters, names, which, getopt_long_only))

void clue_state_end(struct rank *rank)
{
    free(rank->options.found);
    free(rank->actions);
    for (size_t i = 0; i < sizeof rank->streams / sizeof *rank->streams; i++)
        if (rank->streams[i])
            close(rank->streams[i]);
}

/* ------------------------------------------------- random numbers */

static struct random_data *random_of(struct rank *rank)
{
    if (!rank->random.state)
        initstate_r(1, rank->random_bytes, sizeof rank->random_bytes, &rank->random);
    return &rank->random;
}

static long own_random(void)
{
    int32_t value;

    random_r(random_of(clue_carrier.current), &value);
    return value;
}

OWN(int, rand, (void), (int)own_random())

OWN(int, srandom, (unsigned seed), srandom_r(seed, random_of(clue_carrier.current)))

#define OWN_RANDOM48(type, name)                                                                   \
    static type own_##name(void)                                                                   \
    {                                                                                              \
        type value;                                                                                \
                                                                                                   \
        name##_r(&clue_carrier.current->random48, &value);                                         \
        return value;                                                                              \
    }
OWN_RANDOM48(double, drand48)
OWN_RANDOM48(long, lrand48)

OWN(int, srand48, (long seed), srand48_r(seed, &clue_carrier.current->random48))
/* ------------------------------------------------- texts, the environment, the working folder */

OWN(char *, strtok, (char *text, const char *ends),
    strtok_r(text, ends, &clue_carrier.current->token))
OWN(struct tm *, gmtime, (const time_t *time), gmtime_r(time, &clue_carrier.current->date))

static struct tm *own_localtime(const time_t *time)
{
    tzset(); /* localtime_r() need not do this */
    return localtime_r(time, &clue_carrier.current->date);
}

OWN(char *, asctime, (const struct tm *date), asctime_r(date, clue_carrier.current->date_text))
OWN(char *, ctime, (const time_t *time), own_asctime(own_localtime(time)))

/* Returns the rank's own environment, which begins as the process's. NULL: no memory. */
static char **own_environment(void)
{
    struct rank *rank = clue_carrier.current;
    size_t n = 0;

    while (environ && environ[n])
        n++;
    if (!rank->environment && (rank->environment = portolan_calloc(n + 1, sizeof *environ)) && n)
        memcpy(rank->environment, environ, n * sizeof *environ);
    return rank->environment;
}

/* Returns where NAME (up to '=' if there is one) stands in WORDS, or their end. */
static char **find_word(char **words, const char *name)
{
    size_t length = strcspn(name, "=");

    while (*words && (strncmp(*words, name, length) != 0 || (*words)[length] != '='))
        words++;
    return words;
}

static char *own_getenv(const char *name)
{
    char **words = clue_carrier.current->environment;

    if (!words)
        return getenv(name);
    words = find_word(words, name);
    return *words ? *words + strlen(name) + 1 : NULL;
}

static int own_unsetenv(const char *name)
{
    char **words = own_environment(), **word;

    if (!words)
        return -1;
    for (word = find_word(words, name); *word; word++)
        *word = word[1];
    return 0;
}

static int own_putenv(char *text)
{
    char **words = own_environment(), **word;
    size_t n = 0;

    if (words && !strchr(text, '='))
        return own_unsetenv(text);
    while (words && words[n])
        n++;
    if (!words || !(words = realloc(words, (n + 2) * sizeof *words)))
        return -1;
    clue_carrier.current->environment = words;
    word = find_word(words, text);
    *word = text;
    words[n + (word == words + n)] = NULL;
    return 0;
}

/* Like the C library's, never frees a text: the program may still have its address. */
static int own_setenv(const char *name, const char *value, int replaces)
{
    char *text;

    if (!name || !*name || strchr(name, '=')) {
        errno = EINVAL;
        return -1;
    }
    if (own_getenv(name) && !replaces)
        return 0;
    text = portolan_asprintf("%s=%s", name, value);
    return text ? own_putenv(text) : -1;
}

/* Changes the folder of the rank and of the process, which is always in the folder of the rank that
 * runs: clue_process_of(). */
static int own_chdir(const char *path)
{
    struct carrier *c = &clue_carrier;
    struct rank *rank = c->current;
    char *folder;

    if (!c->folder && !(c->folder = getcwd(NULL, 0)))
        return -1;
    if (chdir(path) != 0)
        return -1;
    folder = getcwd(NULL, 0);
    free(rank->folder);
    c->is_in = rank->folder = folder;
    c->has_changed = true;
    return folder ? 0 : -1;
}

static mode_t own_umask(mode_t mask)
{
    struct carrier *c = &clue_carrier;
    mode_t before = umask(mask);

    if (!c->has_umask)
        c->umask = before;
    c->has_umask = c->has_changed = c->current->has_umask = true;
    c->current->umask = mask;
    return before;
}

static int redirect(int stream, int file)
{
    fflush(stream == STDOUT_FILENO ? stdout : stderr);
    if (dup2(file, stream) < 0)
        return -1;
    clue_carrier.is_on[stream] = file;
    return stream;
}

static int own_dup2(int file, int stream)
{
    struct carrier *c = &clue_carrier;
    int *own, copy;

    if (stream != STDOUT_FILENO && stream != STDERR_FILENO)
        return dup2(file, stream);
    own = &c->current->streams[stream];
    if (!c->streams[stream])
        c->streams[stream] = fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    copy = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (copy < 0 || c->streams[stream] < 0 || redirect(stream, copy) < 0)
        return -1;
    if (*own)
        close(*own);
    *own = copy;
    c->has_changed = true;
    return stream;
}

static FILE *own_freopen(const char *path, const char *mode, FILE *file)
{
    bool is_stream = file == stdout || file == stderr;
    FILE *opened = is_stream && path ? fopen(path, mode) : NULL;
    int stream = -1;

    if (!is_stream || !path)
        return freopen(path, mode, file);
    if (opened) {
        stream = own_dup2(fileno(opened), file == stdout ? STDOUT_FILENO : STDERR_FILENO);
        fclose(opened);
    }
    return stream >= 0 ? file : NULL;
}

void clue_process_of(const struct rank *rank)
{
    struct carrier *c = &clue_carrier;
    const char *folder = rank && rank->folder ? rank->folder : c->folder;

    if (folder && folder != c->is_in && chdir(folder) == 0)
        c->is_in = folder;
    if (c->has_umask)
        umask(rank && rank->has_umask ? rank->umask : c->umask);
    for (int i = STDOUT_FILENO; i <= STDERR_FILENO; i++) {
        int file = rank && rank->streams[i] ? rank->streams[i] : c->streams[i];

        if (file && file != c->is_on[i])
            redirect(i, file);
    }
}

/* Returns the rank's program for links to the running program: programs that look for their files
 * in their own folder ask for it. */
static const char *running_program(const char *path)
{
    return strcmp(path, "/proc/self/exe") == 0 ? clue_carrier.current->program->real : NULL;
}

static ssize_t own_readlink(const char *path, char *to, size_t room)
{
    const char *program = running_program(path);
    size_t length = program ? strlen(program) : 0;

    if (!program)
        return readlink(path, to, room);
    length = length < room ? length : room;
    memcpy(to, program, length);
    return (ssize_t)length;
}

static char *own_realpath(const char *path, char *to)
{
    const char *program = running_program(path);

    return realpath(program ? program : path, to);
}

/* Never closes standard streams, since other ranks go on writing to them. */
OWN(int, fclose, (FILE * file),
    file == stdin || file == stdout || file == stderr ? fflush(file) : fclose(file))
OWN(int, close, (int file), file >= STDIN_FILENO && file <= STDERR_FILENO ? 0 : close(file))

/* Returns the bounds of the rank's stack instead of the thread's. */
static int own_pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
    const struct rank *rank = clue_carrier.current;
    int code = pthread_getattr_np(thread, attributes);

    return code ? code : pthread_attr_setstack(attributes, rank->stack, clue_carrier.stack_bytes);
}

/* Lets the system load the library, once for all ranks, and without the program's names. */
static void *own_dlopen(const char *file, int flags)
{
    void *handle = dlopen(file, flags);
    const struct link_map *map = NULL;
    char *text = NULL;

    if (!file || (!handle && access(file, F_OK) == 0)) /* programs also try files that do not
                                                        * exist */
        text = portolan_asprintf("dlopen(%s)%s the program's own functions and data are found only "
                                 "with --apart",
                                 file ? file : "NULL", handle ? ":" : " fails;");
    else if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && clue_is_own(map->l_name))
        text = portolan_asprintf("all ranks share the data of '%s', which the program has loaded; "
                                 "with --apart each has its own",
                                 file);
    if (text)
        clue_remark(false, text, clue_carrier.current, NULL);
    free(text);
    return handle;
}

void clue_state_begin(struct rank *rank)
{
    int *index = variable_of(rank, INDEX), *error = variable_of(rank, ERROR);

    *index = *error = 1;
}

typedef void function(void);
static const struct {
    const char *name;
    function *own;
} functions[] = {
    {"portolan_clue_change", (function *)clue_change_machine},
    {"getopt", (function *)own_getopt},
    {"getopt_long", (function *)own_getopt_long},
    {"getopt_long_only", (function *)own_getopt_long_only},
    {"strtok", (function *)own_strtok},
    {"gmtime", (function *)own_gmtime},
    {"localtime", (function *)own_localtime},
    {"asctime", (function *)own_asctime},
    {"ctime", (function *)own_ctime},
    {"getenv", (function *)own_getenv},
    {"secure_getenv", (function *)own_getenv},
    {"setenv", (function *)own_setenv},
    {"putenv", (function *)own_putenv},
    {"unsetenv", (function *)own_unsetenv},
    {"chdir", (function *)own_chdir},
    {"umask", (function *)own_umask},
    {"dup2", (function *)own_dup2},
    {"freopen", (function *)own_freopen},
    {"freopen64", (function *)own_freopen},
    {"readlink", (function *)own_readlink},
    {"__readlink_chk", (function *)own_readlink},
    {"realpath", (function *)own_realpath},
    {"__realpath_chk", (function *)own_realpath},
    {"fclose", (function *)own_fclose},
    {"close", (function *)own_close},
    {"dlopen", (function *)own_dlopen},
    {"pthread_getattr_np", (function *)own_pthread_getattr_np},
    {"sigaction", (function *)clue_own_sigaction},
    {"signal", (function *)clue_own_signal},
    {"sigprocmask", (function *)clue_own_sigprocmask},
    {"pthread_sigmask", (function *)clue_own_sigprocmask},
    {"kill", (function *)clue_own_kill},
    {"raise", (function *)clue_own_raise},
    {"alarm", (function *)clue_own_alarm},
    {"setitimer", (function *)clue_own_setitimer},
    {"rand", (function *)own_rand},
    {"srand", (function *)own_srandom},
    {"random", (function *)own_random},
    {"srandom", (function *)own_srandom},
    {"drand48", (function *)own_drand48},
    {"lrand48", (function *)own_lrand48},
    {"srand48", (function *)own_srand48},
    {"execl", clue_execl},
    {"execlp", clue_execlp},
    {"execle", clue_execle},
    {"execv", clue_execv},
    {"execvp", clue_execvp},
    {"execvpe", clue_execvpe},
    {"execve", clue_execve},
    {"fexecve", clue_fexecve},
    {"__libc_start_main", (function *)clue_start_main},
    {"__tls_get_addr", (function *)clue_tls_address},
    {"__cxa_finalize", (function *)clue_finalize},
};

bool clue_override(const char *name, uint32_t *base, uint64_t *value)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(name, functions[i].name) == 0) {
            *base = CLUE_ABSOLUTE;
            *value = (uint64_t)(uintptr_t)functions[i].own;
            clue_carrier.may_change |= functions[i].own == (function *)clue_change_machine;
            return true;
        }
    for (size_t i = 0; i < VARIABLES; i++)
        if (strcmp(name, variables[i].name) == 0) {
            *base = CLUE_RANK_BLOCK;
            *value = variables[i].offset;
            return true;
        }
    /* These are constants that the MPI library sets, of which libmpichfort has copies. */
    if (strncmp(name, "MPIR_C_MPI_", 11) == 0) {
        *base = CLUE_ABSOLUTE;
        *value = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, name);
        return *value;
    }
    return false;
}
