/* SPDX-License-Identifier: BSD-3-Clause */
/* What failed and is not chosen any more, and how that ends. */
#include "cli.h"

#include <portolan/store.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct veto_options {
    struct assembly_options assembly;
    const char *lift;
};

static const struct argp_option options[] = {
    {"lift", 'l', "INSTANCE=CLASS", 0,
     "what failed of this class up to now counts no longer: it was mended", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct veto_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->assembly;
        return 0;
    case 'l':
        if (!strchr(arg, '='))
            argp_error(state, "--lift takes INSTANCE=CLASS, not '%s'", arg);
        o->lift = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static enum portolan_status lift(const struct workbench *w, const char *what,
                                 struct portolan_error *err)
{
    const char *file = workbench_peek_store(w), *equals = strchr(what, '=');
    struct portolan_store *store = NULL;
    char *instance;
    enum portolan_status status;

    if ((status = apply_select(w->assembly, what, err)) !=
        PORTOLAN_OK) /* there is such an alternative */
        return status;
    if (!file || (!portolan_store_is_server(file) && access(file, F_OK) != 0))
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "nothing of '%s' is stored, so there is no veto to lift",
                                  w->assembly->file);
    if (!(instance = portolan_asprintf("%.*s", (int)(equals - what), what)))
        return portolan_no_memory(err);
    status = portolan_store_open(file, PORTOLAN_STORE_WRITE, &store, err);
    if (status == PORTOLAN_OK)
        status = portolan_store_lift_veto(store, w->assembly->name, instance, equals + 1, err);
    if (status == PORTOLAN_OK)
        printf("lifted: what failed of %s until now counts no longer\n", what);
    portolan_store_close(store);
    free(instance);
    return status;
}

static int lift_of(struct veto_options *o)
{
    struct portolan_error err = {0};
    struct workbench w = {0};

    if (workbench_open(&w, &o->assembly, true, &err) == PORTOLAN_OK)
        lift(&w, o->lift, &err);
    workbench_close(&w);
    return err.status == PORTOLAN_OK ? 0 : print_error(&err);
}

static int list_of(struct veto_options *o)
{
    struct study_options all = {.assembly = o->assembly};
    struct portolan_error err = {0};
    struct study s;
    char *text = NULL;
    int result;

    if (study_open(&s, &all, false, &err) == PORTOLAN_OK &&
        portolan_plan_report_vetoes(s.plan, &text, &err) == PORTOLAN_OK)
        result = write_text(NULL, text);
    else
        result = print_error(&err);
    free(text);
    study_close(&s);
    return result;
}

int command_veto(int argc, char **argv)
{
    static const struct argp_child children[] = {{&assembly_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .args_doc = "ASSEMBLY.xml",
        .doc = "List what is not chosen because it failed, or lift such a veto.",
        .children = children,
    };
    struct veto_options o = {0};

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    return o.lift ? lift_of(&o) : list_of(&o);
}
