/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of commands with their help, the small commands themselves, and completion. */
#include "internal.h"

#include <portolan/command.h>

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TABLE_HELP                                                                                 \
    "  TABLE is a name, or names joined by + (rows of both), and clauses one after the other:\n"   \
    "    where N >= 1024 && P == 4      the rows of which this holds\n"                            \
    "    with SPEED = N/CLOCK, …        a new column, or an old one anew, by a formula\n"        \
    "    max over CPU                   one row for all processors; also min, mean, median, "      \
    "sum;\n"                                                                                       \
    "                                   `over repetitions` takes equal rows together\n"            \
    "    keep N, CLOCK    drop N        columns\n"                                                 \
    "    rename OLD NEW                 a column's name\n"                                         \
    "    observing TIME                 what was measured; the others are identifiers\n"           \
    "    unit CLOCK ms                  converts where a unit is known, else notes it\n"           \
    "    sort N, P                      in this order\n"

static void do_help(struct statement *s)
{
    struct portolan_text *out = &s->in->out;
    const char *word = llac_text(s, &s->now), *known[40];
    size_t n = 0;

    if (s->now.kind == TOKEN_END) {
        struct grid g = {.in = &s->arena, .n_columns = 2, .left = 3};

        for (const struct command_form *f = llac_commands; f->name; f++)
            if (strcmp(f->name, "exit") != 0) {
                grid_format(&g, "  %s", f->name);
                grid_text(&g, f->summary);
            }
        grid_write(&g, out);
        portolan_text_add(out, "`help COMMAND` tells more. A formula alone shows its value, a name "
                               "what it stands for.\n");
        return;
    }
    for (const struct command_form *f = llac_commands; f->name; f++) {
        known[n++] = f->name;
        if (strcmp(f->name, word) != 0)
            continue;
        portolan_text_add(out, "%s\n  %s\n%s", f->synopsis, f->summary, f->details);
        return;
    }
    statement_fail(s, &s->now, "unknown command '%s'%s", word,
                   llac_suggest(s, word, known, n, "; `help` lists the commands"));
}

static void do_print(struct statement *s)
{
    const char *between = "";

    do {
        if (s->now.kind == TOKEN_STRING) {
            portolan_text_add(&s->in->out, "%s%s", between, llac_text(s, &s->now));
            llac_advance(s);
        } else if (s->now.kind != TOKEN_END) {
            double value = llac_parse_number(s);

            portolan_text_add(&s->in->out, "%s%.10g", between, value);
        }
        between = " ";
    } while (llac_accept(s, ",") || s->now.kind == TOKEN_STRING);
    llac_parse_end(s);
    portolan_text_add(&s->in->out, "\n");
}

static void do_forget(struct statement *s)
{
    const char **names = NULL;
    size_t n = 0;

    if (llac_accept(s, "all")) {
        llac_parse_end(s);
        llac_forget_all(s->in);
        return;
    }
    /* Check that all exist first: a command that fails changes nothing. */
    do {
        const struct token at = s->now;
        const struct object *o = llac_peek_object(s);

        names = portolan_arena_grow(&s->arena, names, n, sizeof *names);
        if (!o)
            statement_fail(s, &at, "nothing has the name '%s'", llac_parse_name(s, "a name"));
        names[n++] = llac_text(s, &at);
        llac_advance(s);
    } while (s->now.kind == TOKEN_NAME);
    llac_parse_end(s);
    for (size_t i = 0; i < n; i++) {
        struct object *o = llac_find(s->in, names[i]);

        if (o)
            llac_forget(s->in, o);
    }
}

static void do_history(struct statement *s)
{
    if (s->in->session.length)
        portolan_text_add(&s->in->out, "%s", s->in->session.bytes);
    llac_parse_end(s);
}

static void do_quit(struct statement *s)
{
    const struct token at = s->now;
    double code = s->now.kind == TOKEN_END ? 0 : llac_parse_number(s);

    llac_parse_end(s);
    if (!(code >= 0 && code <= 255 && code == floor(code)))
        statement_fail(s, &at, "an exit status is a whole number from 0 to 255");
    s->in->has_ended = true;
    s->in->code = (int)code;
}

static void do_source(struct statement *s)
{
    const struct token at = s->now;
    const char *path = llac_parse_file(s, "a file"), *text;
    size_t size;

    llac_parse_end(s);
    path = llac_read_path(s, path);
    text = statement_read_file(s, &at, path, &size);
    statement_check(s, &at, llac_run(s->in, text, size, path, 1, s->d));
}

const struct command_form llac_commands[] = {
    {"load", do_load, true, true, COMPLETE_FILES, "load FILE… [trial TRIALS] [of EXPERIMENT, …]",
     "read reports, CSV, Extra-P's measurements, stores or a model",
     "  A table for each experiment, named after it; rows of an experiment that is there already\n"
     "  are added to it. `NAME = load FILE` names the one table. Of a store, all trials or those\n"
     "  that `portolan trials` would list.\n"},
    {"show", do_show, false, false, COMPLETE_OBJECTS, "show [TABLE | MODEL | NAME]",
     "list what there is, or show one of it", TABLE_HELP},
    {"rows", do_rows, false, false, COMPLETE_TABLES, "rows [all] TABLE [NUMBER]",
     "show a table's rows, the first 40 or as many as said", TABLE_HELP},
    {"summary", do_summary, false, false, COMPLETE_TABLES, "summary TABLE [by COLUMN, …]",
     "statistics of what was measured at each point", TABLE_HELP},
    {"fit", do_fit, true, false, COMPLETE_TABLES,
     "[NAME =] fit TABLE [as FORMULA | search | on COLUMN, …] [OPTION…]",
     "find a model's constants",
     "  By the experiment's own formula; by another one in canonical form, as in\n"
     "  `as f[0] + f[1]*N*log(N)`; or by a search over the identifiers that vary, or those `on`.\n"
     "  Without NAME it is called `model`. Options:\n"
     "    of COLUMN            what is modelled; the first observable\n"
     "    relative, absolute   how residuals count; relative\n"
     "    negative             constants may be so; they are not otherwise\n"
     "    trimmed              the quarter of the points that fits worst does not count\n"
     "    pieces [NUMBER]      intervals of validity, at most so many\n"
     "    typical, median, mean, minimum, maximum   what stands for repetitions; typical\n"
     "    deviation            models their standard deviation\n"
     "    confidence 0.9       of intervals; 0.95\n"},
    {"predict", do_predict, true, false, COMPLETE_MODELS,
     "[NAME =] predict MODEL [at PARAMETER = VALUE, …]    predict MODEL on TABLE",
     "values with their intervals",
     "  VALUE is a number or a list, {1, 2, 4}. What is not said comes from the variable of that\n"
     "  name, or is what was measured when that is one value. Predictions outside the range that\n"
     "  was measured are marked with !.\n"},
    {"compare", do_compare, false, false, COMPLETE_MODELS,
     "compare MODEL [with TABLE] [as HEADING]    compare COLUMN with COLUMN of TABLE",
     "real and predicted, and the error in percent",
     "  The error is (real - predicted) / real. The second form compares what somebody else\n"
     "  predicted (the first column) with what was measured (the second).\n"},
    {"inspect", do_inspect, false, false, COMPLETE_OBJECTS,
     "inspect TABLE [of COLUMN]    inspect MODEL", "look for spikes, drift and two places",
     "  Of a table, the rows of each point and processor in their order are a series; of a model,\n"
     "  all its rows over what it says of them.\n"},
    {"obsp", do_obsp, true, true, COMPLETE_FILES,
     "[NAME =] obsp FILE [predict | using MODEL, …] [max | sum]",
     "what OBSP* and plain BSP say of a trace",
     "  FILE is what a program of the BSP library traced, or was written by hand "
     "(portolan-obsp(1)).\n"
     "  Without `predict`, computation takes what was measured; with it, what the formulas of its\n"
     "  experiments say, fitted to the trace itself; `using` takes the constants of models of\n"
     "  here. max or sum: how bytes in and out count together. NAME gets a row for each end of a\n"
     "  superstep.\n"},
    {"plot", do_plot, false, true, COMPLETE_OBJECTS,
     "plot TABLE|MODEL… [by COLUMN] [of COLUMN] [logx|logy|loglog] [title \"TEXT\"] [to FILE]",
     "draw points, curves and intervals",
     "  FILE ends in .svg, or in .gp or .gnuplot for a script of gnuplot.\n"},
    {"save", do_save, false, true, COMPLETE_OBJECTS, "save TABLE…|MODEL|session to FILE",
     "write a model, tables or the session",
     "  FILE's ending says how. Models: .xml, .c, .h; tables: .dat, .json (reports),\n"
     "  .csv and .txt (Extra-P). `save session` writes the commands that were run.\n"},
    {"let", NULL, false, false, COMPLETE_NOTHING, "[let] NAME = FORMULA | TABLE | COMMAND",
     "set a variable, or name a result", TABLE_HELP},
    {"print", do_print, false, false, COMPLETE_OBJECTS, "print FORMULA | \"TEXT\" …",
     "show the value of a formula, or a text", ""},
    {"source", do_source, false, true, COMPLETE_FILES, "source FILE", "run the commands in a file",
     ""},
    {"forget", do_forget, false, false, COMPLETE_OBJECTS, "forget NAME… | all",
     "drop what was loaded or made", ""},
    {"history", do_history, false, false, COMPLETE_NOTHING, "history",
     "show the session's commands", ""},
    {"help", do_help, false, false, COMPLETE_COMMANDS, "help [COMMAND]", "tell of the commands",
     ""},
    {"quit", do_quit, false, false, COMPLETE_NOTHING, "quit [STATUS]", "end", ""},
    {"exit", do_quit, false, false, COMPLETE_NOTHING, "exit [STATUS]", "end", ""},
    {NULL, NULL, false, false, COMPLETE_NOTHING, NULL, NULL, NULL},
};

const struct command_form *llac_command(const char *name)
{
    for (const struct command_form *f = llac_commands; f->name; f++)
        if (f->run && !strcmp(f->name, name))
            return f;
    return NULL;
}

enum portolan_status portolan_llac_run_file(struct portolan_llac *in, const char *file,
                                            struct portolan_diagnostics *diagnostics,
                                            struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    const char *text;
    size_t size;
    enum portolan_status status = portolan_file_read(&arena, file, &text, &size, err);

    if (status == PORTOLAN_OK)
        status = portolan_llac_run(in, text, size, file, 1, diagnostics, err);
    portolan_arena_clear(&arena);
    return status;
}

/* -------------------------------------------------------------------------------- completion */

/* The state of a completion: the words that may follow at the end of a line. */
struct begun {
    struct portolan_llac *in;
    struct portolan_arena arena;
    const char *line, *begun;
    struct portolan_words found;
};

static void add_word(struct begun *c, const char *word)
{
    if (word && !strncmp(word, c->begun, strlen(c->begun)))
        portolan_words_add(&c->arena, &c->found, word);
}

static void add_objects(struct begun *c, bool tables, bool models, bool numbers)
{
    for (size_t i = 0; i < c->in->n_objects; i++) {
        const struct object *o = &c->in->objects[i];

        if (o->kind == OBJECT_TABLE ? tables : o->kind == OBJECT_MODEL ? models : numbers)
            add_word(c, o->name);
    }
}

static void add_commands(struct begun *c)
{
    for (const struct command_form *f = llac_commands; f->name; f++)
        add_word(c, f->name);
}

/* Columns and parameters of the tables and models that occur in the line. */
static void add_columns(struct begun *c)
{
    for (size_t i = 0; i < c->in->n_objects; i++) {
        const struct object *o = &c->in->objects[i];
        const struct table *t = o->kind == OBJECT_MODEL ? o->model->points : o->table;

        if (o->kind == OBJECT_NUMBER || !strstr(c->line, o->name))
            continue;
        for (size_t k = 0; t && k < t->n_columns; k++)
            add_word(c, t->columns[k].name);
        for (size_t k = 0; o->kind == OBJECT_MODEL && k < portolan_model_n_params(o->model->model);
             k++)
            add_word(c, portolan_model_peek_param(o->model->model, k));
    }
}

static void add_words(struct begun *c)
{
    for (const char *const *word = llac_reserved; *word; word++)
        add_word(c, *word);
}

/* Files that match what is typed so far; folders get a slash at the end. */
static void add_files(struct begun *c)
{
    const char *slash = strrchr(c->begun, '/');
    size_t length = slash ? (size_t)(slash - c->begun) + 1 : 0;
    const char *folder = length ? portolan_arena_strndup(&c->arena, c->begun, length) : "";
    DIR *dir = folder ? opendir(*folder ? folder : ".") : NULL;
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        char *path = portolan_arena_printf(&c->arena, "%s%s", folder, entry->d_name);
        struct stat about;

        if (!path || (*entry->d_name == '.' && c->begun[length] != '.') || strchr(path, ' '))
            continue;
        if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
            path = portolan_arena_printf(&c->arena, "%s/", path);
        add_word(c, path);
    }
    if (dir)
        closedir(dir);
}

/* The first word of the line, or the first after `NAME =`. */
static const char *command_of(struct begun *c, const char *last)
{
    const char *equals = memchr(c->line, '=', (size_t)(last - c->line));
    const char *at = equals && equals[1] != '=' ? equals + 1 : c->line;

    at += strspn(at, " \t");
    return portolan_arena_strndup(&c->arena, at, strcspn(at, " \t"));
}

static void complete_argument(struct begun *c, const struct command_form *form, const char *before)
{
    enum completion kind = form ? form->completes : COMPLETE_OBJECTS;
    bool is_first = form && !strcmp(before, form->name);

    if (!strcmp(before, "to") || !strcmp(before, "load") || !strcmp(before, "source") ||
        kind == COMPLETE_FILES) {
        add_files(c);
        return;
    }
    if (kind == COMPLETE_COMMANDS)
        add_commands(c);
    if (kind == COMPLETE_NOTHING || kind == COMPLETE_COMMANDS)
        return;
    /* Directly after the command only objects that it accepts; later also columns and words. */
    add_objects(c, kind != COMPLETE_MODELS || !is_first, kind != COMPLETE_TABLES || !is_first,
                kind == COMPLETE_OBJECTS || !is_first);
    if (is_first)
        return;
    add_columns(c);
    add_words(c);
}

/* The word before the one being typed. */
static const char *word_before(struct begun *c, const char *last)
{
    const char *end = last, *start;

    while (end > c->line && strchr(" \t", end[-1]))
        end--;
    for (start = end; start > c->line && !strchr(" \t", start[-1]);)
        start--;
    return portolan_arena_strndup(&c->arena, start, (size_t)(end - start));
}

enum portolan_status portolan_llac_complete(struct portolan_llac *in, const char *line,
                                            char ***words, size_t *n, struct portolan_error *err)
{
    const char *last = line + strlen(line), *word, *before;
    struct begun c = {.in = in, .line = line};
    enum portolan_status status;

    *words = NULL;
    *n = 0;
    while (last > line && !strchr(" \t", last[-1]))
        last--;
    c.begun = last;
    c.line += strspn(line, " \t");
    word = command_of(&c, last > c.line ? last : c.line);
    before = word_before(&c, last);
    if (!word || !before) {
        status = PORTOLAN_ENOMEM;
    } else {
        if (last <= c.line || !strcmp(before, "=")) {
            add_commands(&c);
            add_objects(&c, true, true, true);
        } else {
            complete_argument(&c, llac_command(word), before);
        }
        status = c.arena.failed ? PORTOLAN_ENOMEM : portolan_words_take(&c.found, words, n, err);
    }
    if (status == PORTOLAN_ENOMEM)
        portolan_error_set(err, status, "out of memory");
    portolan_arena_clear(&c.arena);
    return status;
}
