/* SPDX-License-Identifier: BSD-3-Clause */
/* FILE.cll.c and FILE.cll.h; and job scripts: a skeleton per platform, which sed may change. */
#include "internal.h"

#include <portolan/command.h>

#include <string.h>
#include <unistd.h>

const char *emit_program(struct translation *t)
{
    const char *name = portolan_file_name(t->options->file);

    return portolan_libclang_print(&t->arena, "%.*s", (int)(strlen(name) - 2), name);
}

const char *emit_quoted(struct translation *t, const char *text)
{
    struct portolan_text out = {.arena = &t->arena};

    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            portolan_text_add(&out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            portolan_text_add(&out, "\\%03o", (unsigned)*text);
        else
            portolan_text_add_bytes(&out, text, 1);
    return out.bytes ? out.bytes : "";
}

void emit_source(struct translation *t, struct portolan_text *out)
{
    portolan_text_add(out,
                      "/* Made by portolan call of %s: change that one. */\n"
                      "#include \"%s.cll.h\"\n"
                      "#line 1 \"%s\"\n",
                      portolan_file_name(t->options->file), emit_quoted(t, emit_program(t)),
                      emit_quoted(t, t->options->file));
    rewrite_apply(t, false, out);
    if (out->length && out->bytes[out->length - 1] != '\n')
        portolan_text_add(out, "\n");
}

/* ------------------------------------------------------------------ the header */

static void add_texts(struct translation *t, const char *symbol, const char *what,
                      const char *const *texts, size_t n, struct portolan_text *out)
{
    if (!n)
        return;
    portolan_text_add(out, "static const char *const %s_%s[] = {", symbol, what);
    for (size_t i = 0; i < n; i++)
        portolan_text_add(out, "%s\"%s\"", i ? ", " : "", emit_quoted(t, texts[i]));
    portolan_text_add(out, "};\n");
}

static void add_lines(struct translation *t, const struct experiment *e, bool ends,
                      struct portolan_text *out)
{
    portolan_text_add(out, "static const unsigned %s_%s[] = {", e->symbol,
                      ends ? "ends" : "begins");
    for (size_t i = 0; i < e->n_regions; i++)
        portolan_text_add(out, "%s%d", i ? ", " : "",
                          line_of(t, ends ? e->regions[i]->partner : e->regions[i]));
    portolan_text_add(out, "};\n");
}

static void add_lists(struct translation *t, const struct experiment *e, struct portolan_text *out)
{
    size_t n = e->formula ? portolan_formula_n_names(e->formula) : 0;
    const char **names = portolan_arena_alloc(&t->arena, n + 1, sizeof *names);

    for (size_t i = 0; names && i < n; i++)
        names[i] = portolan_formula_peek_name(e->formula, i);
    if (names)
        add_texts(t, e->symbol, "identifiers", names, n, out);
    add_texts(t, e->symbol, "observables", e->first->observables, e->first->n_observables, out);
    add_lines(t, e, false, out);
    add_lines(t, e, true, out);
}

static void add_experiment(struct translation *t, const struct experiment *e,
                           struct portolan_text *out)
{
    size_t n = e->formula ? portolan_formula_n_names(e->formula) : 0;

    portolan_text_add(out, "\n");
    add_lists(t, e, out);
    portolan_text_add(out,
                      "static struct portolan_cll_experiment %s = {\n"
                      "    .name = \"%s\",\n"
                      "    .file = \"%s\",\n",
                      e->symbol, e->name, emit_quoted(t, t->options->file));
    if (e->formula)
        portolan_text_add(out,
                          "    .formula = \"%s\",\n"
                          "    .n_constants = %u,\n",
                          emit_quoted(t, e->infix), e->n_constants);
    if (n)
        portolan_text_add(out,
                          "    .n_identifiers = %zu,\n"
                          "    .identifiers = %s_identifiers,\n",
                          n, e->symbol);
    if (e->first->n_observables)
        portolan_text_add(out,
                          "    .n_observables = %zu,\n"
                          "    .observables = %s_observables,\n",
                          e->first->n_observables, e->symbol);
    portolan_text_add(out,
                      "    .n_regions = %zu,\n"
                      "    .begin_lines = %s_begins,\n"
                      "    .end_lines = %s_ends,\n"
                      "};\n",
                      e->n_regions, e->symbol, e->symbol);
}

static void add_constructor(struct translation *t, struct portolan_text *out)
{
    const char *list = symbol_of(t, "experiments"), *function = symbol_of(t, "register");

    portolan_text_add(out, "\nstatic struct portolan_cll_experiment *const %s[] = {\n", list);
    for (const struct experiment *e = t->experiments; e; e = e->next)
        portolan_text_add(out, "    &%s,\n", e->symbol);
    portolan_text_add(out,
                      "};\n"
                      "\n"
                      "__attribute__((constructor)) static void %s(void)\n"
                      "{\n"
                      "    portolan_cll_register(%s, %zu);\n"
                      "}\n",
                      function, list, t->n_experiments);
}

void emit_header(struct translation *t, struct portolan_text *out)
{
    portolan_text_add(out,
                      "/* Made by portolan call of %s: the data of its experiments. */\n"
                      "#include <portolan/cll.h>\n",
                      portolan_file_name(t->options->file));
    for (const struct experiment *e = t->experiments; e; e = e->next)
        add_experiment(t, e, out);
    if (t->experiments)
        add_constructor(t, out);
}

/* -------------------------------------------------------------------------------------- scripts */

struct platform {
    const char *name;
    const char *one; /* runs one size: the program alone, with threads, with processes */
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

    /* The expression may change the text but must not do anything else. */
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

/* Reports sed's message at the pragma; the resulting text is in OUT. */
static enum portolan_status edit_by_sed(struct translation *t, const struct directive *d,
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
    return d->sed.text && out->bytes ? edit_by_sed(t, d, out) : PORTOLAN_OK;
}
