/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the program, and checks that it can be measured. */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

struct finder {
    struct portolan_arena *arena;
    int *status;
    struct portolan_error *err;
};

static enum portolan_status refuse(const struct finder *f, const char *file, const char *why)
{
    *f->status = EXIT_CANNOT_RUN;
    return portolan_error_set(f->err, PORTOLAN_EUNSUPPORTED, "%s: %s", file, why);
}

static enum portolan_status find_file(const struct finder *f, const char *name, const char **file)
{
    int error;

    errno = 0;
    *file = portolan_program_find(f->arena, name);
    if (*file && portolan_is_program(*file))
        return PORTOLAN_OK;
    if (*file && access(*file, X_OK) == 0) {
        *f->status = EXIT_CANNOT_RUN;
        return portolan_error_set(f->err, PORTOLAN_EUNSUPPORTED, "'%s' is no program", name);
    }
    error = errno;
    *f->status = error == ENOENT || error == ENOTDIR ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
    return portolan_error_set(f->err, PORTOLAN_ENOTFOUND, "cannot run '%s': %s", name,
                              strerror(error));
}

/* If the file grants rights (setuid, capabilities), the dynamic linker ignores LD_PRELOAD. */
static enum portolan_status check_rights(const struct finder *f, const char *file)
{
    struct stat info;

    if (stat(file, &info) != 0)
        return refuse(f, file, strerror(errno));
    if (((info.st_mode & S_ISUID) && info.st_uid != geteuid()) ||
        ((info.st_mode & S_ISGID) && info.st_gid != getegid()))
        return refuse(f, file,
                      "runs with the rights of another user or group (setuid), so nothing can be "
                      "preloaded; run it as that user");
    if (getxattr(file, "security.capability", NULL, 0) > 0 && geteuid() != 0)
        return refuse(f, file, "has capabilities of its own, so nothing can be preloaded");
    return PORTOLAN_OK;
}

static enum portolan_status check_image(const struct finder *f, const char *file)
{
    struct wrap_object o;
    enum portolan_status status = wrap_object_read(file, NULL, &o, f->err);

    if (status != PORTOLAN_OK) {
        *f->status = EXIT_CANNOT_RUN;
        return status;
    }
    if (!o.is_elf)
        return refuse(f, file, "is neither a program nor a script that begins with #!");
    if (!o.is_ours)
        return refuse(f, file, "is a program for another kind of machine");
    if (!o.has_interpreter)
        return refuse(f, file,
                      "is linked statically, so nothing can be preloaded; link it dynamically, or "
                      "use portolan proxygen in its sources");
    return check_rights(f, file);
}

/* ------------------------------------------------------------------ scripts */

/* The first line of a script without "#!", in the arena; NULL for other files. */
static char *read_script(const struct finder *f, const char *file)
{
    char line[4096];
    FILE *stream = fopen(file, "re");
    char *text = NULL;

    if (stream && fgets(line, sizeof line, stream) && line[0] == '#' && line[1] == '!') {
        line[strcspn(line, "\n")] = '\0';
        text = portolan_arena_strdup(f->arena, line + 2 + strspn(line + 2, " \t"));
    }
    if (stream)
        fclose(stream);
    return text;
}

/* INTERPRETER, ARGUMENT (may be NULL), the script's name, then the words after it. */
static char **script_words(const struct finder *f, const char *interpreter, const char *argument,
                           const char *script, char *const *words)
{
    size_t n = 0, to = 0;
    char **argv;

    while (words[n])
        n++;
    argv = portolan_arena_alloc(f->arena, n + 4, sizeof *argv);
    if (!argv)
        return NULL;
    argv[to++] = (char *)interpreter;
    if (argument)
        argv[to++] = (char *)argument;
    argv[to++] = (char *)script;
    for (size_t i = 1; i < n; i++)
        argv[to++] = words[i];
    return argv;
}

/*
 * Finds the interpreter of a script. env(1) would load the preloaded object, and then exec the
 * interpreter without it. So the search that env does is done here, unless env has options.
 */
static enum portolan_status take_script(const struct finder *f, const char *file, char *line,
                                        char *const *words, struct wrap_program *p)
{
    char *argument = line + strcspn(line, " \t");
    enum portolan_status status = PORTOLAN_OK;

    if (*argument) {
        *argument++ = '\0';
        argument += strspn(argument, " \t");
        argument[strcspn(argument, "\r")] = '\0';
        for (size_t end = strlen(argument); end && strchr(" \t", argument[end - 1]);)
            argument[--end] = '\0';
    }
    if (!strcmp(portolan_file_name(line), "env") && *argument && *argument != '-' &&
        !strpbrk(argument, " \t=")) {
        status = find_file(f, argument, &p->image);
        p->file = p->image;
        p->argv = script_words(f, argument, NULL, file, words);
    } else {
        p->image = line;
        p->file = file;
        p->argv = (char **)words;
    }
    if (status == PORTOLAN_OK && !p->argv)
        status = portolan_no_memory(f->err);
    return status;
}

enum portolan_status wrap_program_find(struct portolan_arena *arena, char *const *words,
                                       struct wrap_program *p, int *status,
                                       struct portolan_error *err)
{
    const struct finder f = {arena, status, err};
    enum portolan_status found = find_file(&f, words[0], &p->file);
    char *line;

    if (found != PORTOLAN_OK)
        return found;
    p->image = p->file;
    p->argv = (char **)words;
    line = read_script(&f, p->file);
    if (line)
        found = take_script(&f, p->file, line, words, p);
    return found == PORTOLAN_OK ? check_image(&f, p->image) : found;
}

enum portolan_status portolan_wrap_check_program(char *const *words, struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    struct wrap_program program = {0};
    struct wrap_object o = {0};
    int code = 0;
    enum portolan_status status = wrap_program_find(&arena, words, &program, &code, err);

    if (!status)
        status = wrap_object_read(program.image, NULL, &o, err);
    if (!status && o.needs_other_mpi)
        status = portolan_error_set(
            err, PORTOLAN_EUNSUPPORTED,
            "%s: is a program of another MPI than " PORTOLAN_MPI
            ", for which this Portolan was built; build it with mpicc." PORTOLAN_MPI,
            program.image);
    portolan_arena_clear(&arena);
    return status;
}
