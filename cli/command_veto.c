/* SPDX-License-Identifier: BSD-3-Clause */
/* What failed and is not chosen any more, and how that ends. */
#include "cli.h"

#include <portolan/store.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct veto_options {
    struct study_options study;
    const char *lift;
};

static error_t check_lift(void *to, char *arg, const struct cli_option *option,
                          struct argp_state *state)
{
    (void)to, (void)option;
    if (!strchr(arg, '='))
        argp_error(state, "--lift takes INSTANCE=CLASS, not '%s'", arg);
    return 0;
}

static const struct cli_option options[] = {
    {"lift", 'l', "INSTANCE=CLASS",
     "what failed of this class up to now counts no longer: it was mended",
     INTO(struct veto_options, lift), .take = check_lift},
    TABLE_OF(assembly_table, struct veto_options, study.assembly),
    {0},
};

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

    if (workbench_open(&w, &o->study.assembly, true, &err) == PORTOLAN_OK)
        lift(&w, o->lift, &err);
    workbench_close(&w);
    return err.status == PORTOLAN_OK ? 0 : print_error(&err);
}

int command_veto(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "ASSEMBLY.xml",
        .doc = "List what is not chosen because it failed, or lift such a veto.",
        .options = options,
    };
    struct veto_options o = {0};

    parse_line(&line, argc, argv, 0, &o);
    return o.lift ? lift_of(&o) : study_print(&o.study, portolan_plan_report_vetoes);
}
