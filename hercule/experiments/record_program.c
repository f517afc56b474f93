/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs as they are, recorded by a preloaded library. */
#include <portolan/hercule_experiments.h>

#include <portolan/command.h>
#include <portolan/record.h>
#include <portolan/wrap.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Before the program's words: its ranks' environment, which must not be that of the launcher. */
static bool add_environment(const struct portolan_recording *r, struct portolan_arena *arena,
                            struct portolan_words *words)
{
    const char *before = getenv("LD_PRELOAD");
    char *here = getcwd(NULL, 0); /* a script may change it */
    const char *window = r->window ? r->window : "", *from = here ? here : "";
    bool is_absolute = r->folder && *r->folder == '/', has_memory;
    bool has_file = *window == '@' && window[1] != '/';

    if (!before || !*before)
        before = NULL;
    has_memory =
        portolan_words_add(arena, words, "env") &&
        (!r->library ||
         portolan_words_add(arena, words,
                            portolan_arena_printf(arena, "LD_PRELOAD=%s%s%s", r->library,
                                                  before ? ":" : "", before ? before : ""))) &&
        (!r->folder ||
         portolan_words_add(arena, words,
                            portolan_arena_printf(arena, "PORTOLAN_TRACE=%s%s%s",
                                                  is_absolute ? "" : from, is_absolute ? "" : "/",
                                                  r->folder))) &&
        (!r->token ||
         portolan_words_add(arena, words,
                            portolan_arena_printf(arena, "PORTOLAN_EXPERIMENT=%s", r->token))) &&
        portolan_words_add(arena, words,
                           portolan_arena_printf(arena, "PORTOLAN_TRACE_WINDOW=%s%s%s%s",
                                                 has_file ? "@" : "", has_file ? from : "",
                                                 has_file ? "/" : "", window + has_file));
    free(here);
    /* env(1) would take the program for one more variable. */
    return has_memory &&
           (!strchr(r->program[0], '=') ||
            (portolan_words_add(arena, words, "sh") && portolan_words_add(arena, words, "-c") &&
             portolan_words_add(arena, words, "exec \"$0\" \"$@\"")));
}

enum portolan_status portolan_record_check_folder(const char *folder, struct portolan_error *err)
{
    DIR *d = opendir(folder);
    int n = 0;

    if (!d && errno == ENOENT && mkdir(folder, 0777) == 0) { /* so it can be made, when needed */
        rmdir(folder);
        return PORTOLAN_OK;
    }
    if (!d)
        return portolan_error_set(err, PORTOLAN_EIO, "%s: %s", folder, strerror(errno));
    while (readdir(d))
        n++;
    closedir(d);
    return n <= 2
               ? PORTOLAN_OK
               : portolan_error_set(err, PORTOLAN_EIO,
                                    "%s is not empty; a trace needs a folder of its own", folder);
}

enum portolan_status portolan_record_check_program(const char *name, struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    const char *file = portolan_program_find(&arena, name);
    bool is_one;
    int cause;

    errno = file ? 0 : errno;
    is_one = file && portolan_is_program(file);
    cause = errno ? errno : EACCES; /* a folder */
    portolan_arena_clear(&arena);
    return is_one ? PORTOLAN_OK
                  : portolan_error_set(err, PORTOLAN_ENOTFOUND, "cannot run '%s': %s", name,
                                       strerror(cause));
}

bool portolan_record_is_empty(const char *folder)
{
    return !portolan_record_check_folder(folder, NULL);
}

/* The dynamic linker would split such a path. */
static enum portolan_status check_library(const char *path, struct portolan_error *err)
{
    return strpbrk(path, " :;\t\n")
               ? portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                    "'%s' cannot be preloaded: its path has a blank or a colon",
                                    path)
               : PORTOLAN_OK;
}

static bool add_launcher(const struct portolan_recording *r, struct portolan_arena *arena,
                         struct portolan_words *words)
{
    if (r->launcher)
        return portolan_words_split(arena, words, r->launcher);
    return !r->n_ranks ||
           (portolan_words_add(arena, words, r->mpiexec) &&
            portolan_words_add(arena, words, "-n") &&
            portolan_words_add(arena, words, portolan_arena_printf(arena, "%d", r->n_ranks)));
}

/* The words, ended by NULL; NULL: no memory. */
static char **make_words(const struct portolan_recording *r, struct portolan_arena *arena)
{
    struct portolan_words words = {0};
    bool has_memory = add_launcher(r, arena, &words) && add_environment(r, arena, &words);
    const char **ended;

    for (char *const *word = r->program; *word && has_memory; word++)
        has_memory = portolan_words_add(arena, &words, *word);
    ended = has_memory ? portolan_arena_grow(arena, words.word, words.n, sizeof *ended) : NULL;
    if (ended)
        ended[words.n] = NULL;
    return (char **)ended;
}

static enum portolan_status run(char **words, int *result, struct portolan_error *err)
{
    int status = 0;
    pid_t parent = getpid(), child = fork();

    if (child < 0)
        return portolan_error_set(err, PORTOLAN_EIO, "cannot start '%s': %s", words[0],
                                  strerror(errno));
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM); /* of the launcher: it takes its ranks along */
        if (getppid() != parent)
            _exit(127);
        execvp(words[0], words);
        fprintf(stderr, "portolan: error: cannot run '%s': %s\n", words[0], strerror(errno));
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    *result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return PORTOLAN_OK;
}

enum portolan_status portolan_record_program(const struct portolan_recording *r, int *result,
                                             struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    char **words;
    enum portolan_status status =
        !r->library ? PORTOLAN_OK : portolan_wrap_check_program(r->program, err);

    if (!status)
        status = portolan_record_window(r->window, err);
    if (!status && r->folder)
        status = portolan_record_check_folder(r->folder, err);
    if (!status && r->library)
        status = check_library(r->library, err);
    if (!status && !(words = make_words(r, &arena)))
        status = portolan_no_memory(err);
    if (!status)
        status = run(words, result, err);
    portolan_arena_clear(&arena);
    return status;
}
