/* SPDX-License-Identifier: BSD-3-Clause */
/* Running the compiler and its friends. */
#include <portolan/command.h>

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool portolan_words_add(struct portolan_arena *arena, struct portolan_words *w, const char *text)
{
    const char **grown = text ? portolan_arena_grow(arena, w->word, w->n, sizeof *grown) : NULL;

    if (!grown)
        return false;
    w->word = grown;
    w->word[w->n++] = text;
    return true;
}

bool portolan_words_split(struct portolan_arena *arena, struct portolan_words *w, const char *text)
{
    static const char blanks[] = " \t\r\n";

    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t length = strcspn(text, blanks);

        if (!portolan_words_add(arena, w, portolan_arena_strndup(arena, text, length)))
            return false;
        text += length;
    }
    return true;
}

bool portolan_words_append(struct portolan_arena *arena, struct portolan_words *w,
                           const struct portolan_words *more)
{
    for (size_t i = 0; i < more->n; i++)
        if (!portolan_words_add(arena, w, more->word[i]))
            return false;
    return true;
}

/* Starts the command with its output in FILE; returns an errno. */
static int start(const struct portolan_words *command, const char *file, pid_t *pid)
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

enum portolan_status portolan_command_run(struct portolan_arena *arena,
                                          struct portolan_words *command, const char *file,
                                          struct portolan_error *err)
{
    const char **grown = portolan_arena_grow(arena, command->word, command->n, sizeof *grown);
    int error, status = 0;
    pid_t pid;

    if (!grown || arena->failed)
        return portolan_no_memory(err);
    command->word = grown;
    command->word[command->n] = NULL;
    if ((error = start(command, file, &pid)) != 0)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "'%s' cannot be run: %s",
                                  command->word[0], strerror(error));
    while (waitpid(pid, &status, 0) == -1)
        if (errno != EINTR)
            return portolan_error_set(err, PORTOLAN_EFOREIGN, "'%s' cannot be waited for: %s",
                                      command->word[0], strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return PORTOLAN_OK;
    return portolan_error_set(err, PORTOLAN_EFOREIGN, "'%s' failed", command->word[0]);
}

enum portolan_status portolan_file_read(struct portolan_arena *arena, const char *file,
                                        const char **text, size_t *size, struct portolan_error *err)
{
    struct portolan_text t = {.arena = arena};
    enum portolan_status status;
    char *taken;

    if (!portolan_text_add_file(&t, file, SIZE_MAX) && !t.failed)
        return portolan_error_set(err, PORTOLAN_EIO, "'%s' cannot be read: %s", file,
                                  strerror(errno));
    *size = t.length;
    status = portolan_text_take(&t, &taken, err);
    if (status == PORTOLAN_OK)
        *text = taken;
    return status;
}
