/* SPDX-License-Identifier: BSD-3-Clause */
/* Running the compiler and its friends. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Starts the command with its output in FILE; returns an errno. */
static int start(struct words *command, const char *file, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error)
        return error;
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, file,
                                                 O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    if (!error)
        error = posix_spawnp(pid, command->word[0], &actions, NULL, (char *const *)command->word,
                             environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

enum portolan_status tool_run(struct portolan_arena *arena, struct words *command, const char *file,
                              struct portolan_text *log, struct portolan_error *err)
{
    const char **grown = portolan_arena_grow(arena, command->word, command->n, sizeof *grown);
    const char *text;
    size_t size;
    pid_t pid;
    int error, status = 0;

    if (!grown)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    command->word = grown;
    command->word[command->n] = NULL;
    if ((error = start(command, file, &pid)) != 0)
        return portolan_error_set(err, PORTOLAN_EFOREIGN, "'%s' cannot be run: %s",
                                  command->word[0], strerror(error));
    while (waitpid(pid, &status, 0) == -1)
        if (errno != EINTR)
            return portolan_error_set(err, PORTOLAN_EFOREIGN, "'%s' cannot be waited for: %s",
                                      command->word[0], strerror(errno));
    if (file_read(arena, file, &text, &size, NULL) == PORTOLAN_OK)
        portolan_text_add_bytes(log, text, size);
    unlink(file);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return PORTOLAN_OK;
    return portolan_error_set(err, PORTOLAN_EFOREIGN, "'%s' failed", command->word[0]);
}

/* ld, gold and lld name what is missing in these ways. */
static const char *missing_name(const char *line, size_t *length)
{
    static const char *const ways[] = {"cannot find -l", "unable to find library -l",
                                       "library not found for -l"};

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const char *at = strstr(line, ways[i]);

        if (at) {
            at += strlen(ways[i]);
            *length = strcspn(at, ": \t\r\n");
            return at;
        }
    }
    return NULL;
}

const char *tool_missing_libraries(struct portolan_arena *arena, const char *log, const char *end)
{
    const char *list = NULL, *at;
    size_t length;

    while ((at = missing_name(log, &length))) {
        const char *name = portolan_arena_printf(arena, "lib%.*s%s", (int)length, at, end);

        log = at + length;
        if (name && (!list || !strstr(list, name)))
            list = list ? portolan_arena_printf(arena, "%s, %s", list, name) : name;
    }
    return list;
}
