/* SPDX-License-Identifier: BSD-3-Clause */
/* An assembly with its palette: the first step of every command on assemblies. */
#include "cli.h"

#include <portolan/program.h>

#include <stdlib.h>
#include <string.h>

static error_t check_case(void *to, char *arg, const struct cli_option *option,
                          struct argp_state *state)
{
    const struct assembly_options *o = to;

    (void)option;
    if (o->n_cases && !o->takes_cases)
        argp_error(state, "one case at a time, but '%s' was also given", arg);
    return 0;
}

const struct cli_option settings_table[] = {
    {"store", 'd', "FILE", "the experiment store (default: the Mastermind's)",
     INTO(struct assembly_options, store)},
    {"set", 's', "INSTANCE.PARAMETER=VALUE",
     "set a parameter; INSTANCE may be omitted if only one instance has this parameter",
     INTO_LIST(struct assembly_options, sets, n_sets), .take = need_equals},
    {"case", 0, "NAME", "set all parameters of this case",
     INTO_LIST(struct assembly_options, cases, n_cases), .take = check_case},
    {"select", 'i', "INSTANCE=CLASS", "start with this alternative",
     INTO_LIST(struct assembly_options, selects, n_selects), .take = need_equals},
    {"pin", 0, "INSTANCE=CLASS", "run or choose only this alternative",
     INTO_LIST(struct assembly_options, pins, n_pins), .take = need_equals},
    {"forbid", 0, "INSTANCE=CLASS", "never run or choose this alternative",
     INTO_LIST(struct assembly_options, forbids, n_forbids), .take = need_equals},
    {0},
};

const struct cli_option assembly_table[] = {
    {"path", 'p', "DIR:...", "search these folders for components first",
     INTO(struct assembly_options, path)},
    {.kind = CLI_TABLE, .table = settings_table},
    {.key = CLI_WORD, .doc = "one assembly at a time", INTO(struct assembly_options, file)},
    {.key = CLI_END,
     .doc = "which assembly? name its XML file",
     INTO(struct assembly_options, file)},
    {0},
};

static void clear_lists(struct assembly_options *o)
{
    free(o->sets);
    free(o->selects);
    free(o->pins);
    free(o->forbids);
    free(o->cases);
    o->sets = o->selects = o->pins = o->forbids = o->cases = NULL;
    o->n_sets = o->n_selects = o->n_pins = o->n_forbids = o->n_cases = 0;
}

static enum portolan_status apply_set(struct workbench *w, const char *text,
                                      struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_ENOMEM;
    char *copy = portolan_strdup(text), *value;

    if (!copy)
        return portolan_error_set(err, status, "out of memory");
    value = strchr(copy, '=');
    *value++ = '\0';
    status = workbench_set(w, copy, value, err);
    if (status && !strchr(copy, '.'))
        portolan_error_prefix(err, "--set");
    free(copy);
    return status;
}

/* Calls APPLY with the two sides of TEXT, INSTANCE=CLASS. */
static enum portolan_status apply_pair(struct portolan_assembly *a, const char *text,
                                       enum portolan_status (*apply)(struct portolan_assembly *,
                                                                     const char *, const char *,
                                                                     struct portolan_error *),
                                       struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_ENOMEM;
    char *copy = portolan_strdup(text), *class_name;

    if (!copy)
        return portolan_error_set(err, status, "out of memory");
    class_name = strchr(copy, '=');
    *class_name++ = '\0';
    status = apply(a, copy, class_name, err);
    free(copy);
    return status;
}

enum portolan_status apply_select(struct portolan_assembly *a, const char *text,
                                  struct portolan_error *err)
{
    return apply_pair(a, text, portolan_assembly_select, err);
}

enum portolan_status apply_choices(struct portolan_assembly *a, const struct assembly_options *o,
                                   struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; status == PORTOLAN_OK && i < o->n_selects; i++)
        status = apply_pair(a, o->selects[i], portolan_assembly_select, err);
    for (size_t i = 0; status == PORTOLAN_OK && i < o->n_pins; i++)
        status = apply_pair(a, o->pins[i], portolan_assembly_pin, err);
    for (size_t i = 0; status == PORTOLAN_OK && i < o->n_forbids; i++)
        status = apply_pair(a, o->forbids[i], portolan_assembly_forbid, err);
    return status;
}

/* Sets the first case; if several may be given, drops all others. */
static enum portolan_status apply_cases(struct portolan_assembly *a,
                                        const struct assembly_options *o,
                                        struct portolan_error *err)
{
    size_t *kept = portolan_calloc(o->n_cases, sizeof *kept), n = 0;
    enum portolan_status status = kept ? PORTOLAN_OK : PORTOLAN_ENOMEM;

    for (size_t i = 0; status == PORTOLAN_OK && i < o->n_cases; i++) {
        bool twice = false;

        status = portolan_assembly_peek_case(a, o->cases[i], &kept[n], err);
        for (size_t k = 0; status == PORTOLAN_OK && k < n; k++)
            twice |= kept[k] == kept[n];
        n += !twice;
    }
    if (status == PORTOLAN_OK)
        status = portolan_assembly_set_case(a, kept[0], err);
    if (status == PORTOLAN_OK && o->takes_cases)
        status = portolan_assembly_keep_cases(a, kept, n, err);
    free(kept);
    return status ? portolan_error_set(err, status, "--case: %s", portolan_status_text(status))
                  : PORTOLAN_OK;
}

static enum portolan_status add_builtins(struct workbench *w,
                                         const struct portolan_program *program,
                                         struct portolan_error *err)
{
    enum portolan_status status = portolan_palette_create(&w->palette, err);

    for (size_t i = 0; i < program->n_classes && status == PORTOLAN_OK; i++)
        status = portolan_palette_add_builtin(w->palette, program->classes[i].component,
                                              program->classes[i].description, err);
    return status;
}

/* Reads from files, or from what is linked into the program. */
static enum portolan_status read_all(struct workbench *w, const struct assembly_options *o,
                                     struct portolan_diagnostics *d, struct portolan_error *err)
{
    const struct portolan_program *p = o->program;
    enum portolan_status status = p ? portolan_assembly_read_text(p->assembly, strlen(p->assembly),
                                                                  o->file, d, &w->assembly, err)
                                    : portolan_assembly_read(o->file, d, &w->assembly, err);

    if (status != PORTOLAN_OK)
        return status;
    if (o->as)
        w->assembly->file = o->as;
    return p ? add_builtins(w, p, err) : workbench_open_palette(w, o->path, d, err);
}

enum portolan_status workbench_open(struct workbench *w, struct assembly_options *o, bool print,
                                    struct portolan_error *err)
{
    struct portolan_diagnostics d = {.report = print ? print_diagnostic : NULL};
    enum portolan_status status;

    *w = (struct workbench){0};
    status = read_all(w, o, &d, err);
    if (status == PORTOLAN_OK)
        status = portolan_assembly_join_applies(w->assembly, w->palette, err);
    if (status == PORTOLAN_OK && o->n_cases)
        status = apply_cases(w->assembly, o, err);
    for (size_t i = 0; status == PORTOLAN_OK && i < o->n_sets; i++)
        status = apply_set(w, o->sets[i], err);
    if (status == PORTOLAN_OK)
        status = apply_choices(w->assembly, o, err);
    clear_lists(o);
    if (status == PORTOLAN_OK && o->store && (status = workbench_put_store(w, o->store, err)))
        portolan_error_prefix(err, "--store");
    if (status == PORTOLAN_OK)
        status = workbench_check(w, &d);
    if (status != PORTOLAN_OK) {
        if (d.count)
            *err = (struct portolan_error){0}; /* the cause is among the printed errors */
        portolan_error_set(err, status, "%d error%s in '%s' or what it needs", d.count,
                           d.count == 1 ? "" : "s", o->file);
        workbench_close(w);
    }
    return status;
}
