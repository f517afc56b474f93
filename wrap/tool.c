/* SPDX-License-Identifier: BSD-3-Clause */
/* Running the compiler. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void wrap_words_add(struct portolan_arena *arena, struct wrap_words *w, const char *word)
{
    const char **grown = portolan_arena_grow(arena, w->words, w->n, sizeof *grown);

    if (!grown)
        return;
    w->words = grown;
    w->words[w->n++] = word;
}

void wrap_words_split(struct portolan_arena *arena, struct wrap_words *w, const char *text)
{
    for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
        size_t length = strcspn(text, " \t");

        wrap_words_add(arena, w, portolan_arena_strndup(arena, text, length));
        text += length;
    }
}

static int spawn(const struct wrap_words *w, const char *output, pid_t *process)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error)
        return error;
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output,
                                                 O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    if (!error)
        error =
            posix_spawnp(process, w->words[0], &actions, NULL, (char *const *)w->words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* The first line that says "error", else the first of all. */
static const char *first_error(struct portolan_arena *arena, const char *output)
{
    FILE *stream = fopen(output, "re");
    const char *found = NULL, *first = NULL;
    char line[800];

    while (stream && !found && fgets(line, sizeof line, stream)) {
        line[strcspn(line, "\n")] = '\0';
        if (!first)
            first = portolan_arena_strdup(arena, line);
        if (strstr(line, "error") || strstr(line, "undefined"))
            found = portolan_arena_strdup(arena, line);
    }
    if (stream)
        fclose(stream);
    return found ? found : first ? first : "it says nothing";
}

enum portolan_status wrap_tool_run(struct portolan_arena *arena, struct wrap_words *w,
                                   const char *output, struct portolan_error *err)
{
    pid_t process;
    int status, error;

    wrap_words_add(arena, w, NULL);
    if (arena->failed)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    error = spawn(w, output, &process);
    if (error)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "cannot run the C compiler '%s': %s; wrapping compiles a small "
                                  "file: install a compiler (Debian: gcc), or name one with --cc",
                                  w->words[0], strerror(error));
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return portolan_error_set(err, PORTOLAN_EIO, "%s: %s", w->words[0], strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return PORTOLAN_OK;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "cannot run the C compiler '%s'; install one (Debian: gcc), or "
                                  "name one with --cc",
                                  w->words[0]);
    return portolan_error_set(err, PORTOLAN_ESYNTAX, "'%s' failed: %s", w->words[0],
                              first_error(arena, output));
}
