/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials of an assembly on a machine that is not there: its linked program, run in virtual time. */
#include "virtual_trials.h"

#ifdef PORTOLAN_CLUE
#include <portolan/clue_machine.h>
#endif
#include <portolan/command.h>
#include <portolan/link.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef PORTOLAN_CLUE
enum portolan_status virtual_machine_name(const char *file, char **name, struct portolan_error *err)
{
    struct portolan_diagnostics d = {.report = print_diagnostic};
    struct clue_machine_file *machine = NULL;
    enum portolan_status status = clue_machine_read(file, &d, &machine, err);

    *name = status ? NULL : portolan_strdup(machine->machine.name);
    if (status)
        return status;
    clue_machine_destroy(machine);
    return *name ? PORTOLAN_OK : portolan_no_memory(err);
}
#else
enum portolan_status virtual_machine_name(const char *file, char **name, struct portolan_error *err)
{
    *name = NULL;
    return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                              "%s: this Portolan was built without clue, which has virtual time",
                              file);
}
#endif

/* Links the program next to the assembly, so that components find their files; its name contains
 * this process's number. */
static enum portolan_status link_program(struct virtual_trials *v, const struct workbench *w,
                                         const char *assembly, struct portolan_error *err)
{
    struct portolan_diagnostics d = {.report = print_diagnostic};
    struct portolan_link_result result = {0};
    char *settings = NULL, *folder = folder_of(assembly);
    enum portolan_status status;

    v->program =
        folder ? portolan_asprintf("%s/.portolan-virtual-%ld", folder, (long)getpid()) : NULL;
    free(folder);
    if (!v->program)
        return portolan_no_memory(err);
    status = portolan_settings_find("link.conf", PORTOLAN_LINK_SETTINGS, &settings, err);
    if (!status)
        status =
            portolan_link(w->assembly, w->palette, settings,
                          &(struct portolan_link_options){.output = v->program}, &result, &d, err);
    if (status && result.log)
        fputs(result.log, stderr);
    free(result.log);
    free(settings);
    return status;
}

enum portolan_status virtual_trials_open(struct virtual_trials *v, const struct workbench *w,
                                         const char *assembly, struct portolan_error *err)
{
    enum portolan_status status = virtual_machine_name(v->file, &v->name, err);

    return status ? status : link_program(v, w, assembly, err);
}

void virtual_trials_close(struct virtual_trials *v)
{
    if (v->program)
        unlink(v->program);
    free(v->program);
    free(v->name);
}
