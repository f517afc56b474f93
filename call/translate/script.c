/* SPDX-License-Identifier: BSD-3-Clause */
/* Job scripts: a skeleton per platform, which a sed expression of the pragma may change. */
#include "internal.h"

#include <portolan/command.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct platform {
    const char *name;
    const char *one; /* how one size is run: program alone, threads, processes */
    const char *threads;
    const char *processes;
};

#define SLURM(size) "sbatch --job-name=\"$CLL_PREFIX\" --" size " --wrap=\"srun $CLL_PROGRAM $*\""

static const struct platform platforms[] = {
    {"shell", "\"$CLL_PROGRAM\" \"$@\"", "OMP_NUM_THREADS=\"$n\" \"$CLL_PROGRAM\" \"$@\"",
     "\"${MPIEXEC:-mpiexec}\" -n \"$n\" \"$CLL_PROGRAM\" \"$@\""},
    {"slurm", SLURM("ntasks=1"), "OMP_NUM_THREADS=\"$n\" " SLURM("cpus-per-task=\"$n\""),
     SLURM("ntasks=\"$n\"")},
};

static const struct platform *find_platform(const char *name)
{
    for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++)
        if (strcmp(platforms[i].name, name) == 0)
            return &platforms[i];
    return NULL;
}

bool script_is_platform(const char *name)
{
    return find_platform(name) != NULL;
}

static void write_skeleton(struct translation *t, const struct platform *p,
                           struct portolan_text *out)
{
    const char *program = emit_program(t), *driver = t->driver->name;
    bool alone = strcmp(driver, "SEQ") == 0, threads = strcmp(driver, "OMP") == 0;

    portolan_text_add(out,
                      "#!/bin/sh\n"
                      "# Made by portolan call of %s.c: %s\n"
                      "# CLL_FIRST to CLL_LAST; the report of each goes to CLL_PREFIX.NUMBER.dat.\n"
                      "set -eu\n"
                      ": \"${CLL_FIRST:=1}\" \"${CLL_LAST:=%d}\" \"${CLL_PREFIX:=%s.cll}\" "
                      "\"${CLL_PROGRAM:=./%s}\"\n"
                      "export CLL_OUTPUT\n"
                      "n=$CLL_FIRST\n"
                      "while [ \"$n\" -le \"$CLL_LAST\" ]; do\n"
                      "    CLL_OUTPUT=$CLL_PREFIX.$n.dat\n"
                      "    %s\n"
                      "    n=$((%s))\n"
                      "done\n",
                      program,
                      alone     ? "runs CLL_PROGRAM again and again, numbered from"
                      : threads ? "runs CLL_PROGRAM on numbers of threads that double, from"
                                : "runs CLL_PROGRAM on numbers of processes that double, from",
                      alone ? 1 : 4, program, program,
                      alone     ? p->one
                      : threads ? p->threads
                                : p->processes,
                      alone ? "n + 1" : "2 * n");
}

/* ------------------------------------------------------------------ sed */

static enum portolan_status run_sed(struct translation *t, const char *expression,
                                    const char *folder, const char *skeleton,
                                    struct portolan_error *err, const char **text, size_t *size)
{
    const char *in = portolan_libclang_print(&t->arena, "%s/skeleton", folder);
    const char *out = portolan_libclang_print(&t->arena, "%s/script", folder);
    struct portolan_words command = {0};
    enum portolan_status status = portolan_replace_file(in, skeleton, strlen(skeleton), err);

    /* It may change the text, and do nothing else. */
    if (status == PORTOLAN_OK && portolan_words_split(&t->arena, &command, "sed --sandbox -e") &&
        portolan_words_add(&t->arena, &command, expression) &&
        portolan_words_add(&t->arena, &command, in)) {
        status = portolan_command_run(&t->arena, &command, out, err);
        if (status == PORTOLAN_OK || status == PORTOLAN_EFOREIGN) {
            enum portolan_status read = portolan_file_read(&t->arena, out, text, size, err);

            if (status == PORTOLAN_OK)
                status = read;
        }
    }
    unlink(in);
    unlink(out);
    return status;
}

/* What sed says is told as the pragma's; what stays is in OUT. */
static enum portolan_status edit(struct translation *t, const struct directive *d,
                                 struct portolan_text *out)
{
    char *folder;
    struct portolan_error err = {0};
    const char *text = "";
    size_t size = 0;
    enum portolan_status status;

    if (t->arena.failed)
        return PORTOLAN_ENOMEM;
    if (!(folder = portolan_temporary_folder(&t->arena, t->err)))
        return t->arena.failed ? PORTOLAN_ENOMEM : PORTOLAN_EIO;
    status = run_sed(t, d->sed.text, folder, out->bytes, &err, &text, &size);
    rmdir(folder);
    if (status == PORTOLAN_EFOREIGN)
        problem_at(t, d->sed.at, "sed does not take this: %.*s", (int)strcspn(text, "\n"), text);
    if (status == PORTOLAN_OK) {
        portolan_text_clear(out);
        portolan_text_add_bytes(out, text, size);
    }
    return status == PORTOLAN_OK || status == PORTOLAN_EFOREIGN
               ? PORTOLAN_OK
               : portolan_error_set(t->err, status, "%s", err.text);
}

enum portolan_status script_emit(struct translation *t, const struct directive *d,
                                 struct portolan_text *out)
{
    write_skeleton(t, find_platform(d->header.text), out);
    return d->sed.text && out->bytes ? edit(t, d, out) : PORTOLAN_OK;
}
