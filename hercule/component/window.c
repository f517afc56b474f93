/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A window of steps: calls of MPI are recorded on all ranks, and the ports that are parts of the
 * paradigm store a row for each call.
 */
#include "diagnosis_component.h"

#include <portolan/control.h>
#include <portolan/record.h>

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------- ports */

struct port_search {
    const struct portolan_assembly *assembly;
    struct portolan_text begin, end; /* commands */
};

static bool is_part(const struct portolan_assembly *a, const char *port)
{
    const struct portolan_assembly_paradigm *p = a->paradigm;

    for (size_t i = 0; i < a->n_connections; i++) {
        const struct portolan_assembly_connection *c = &a->connections[i];
        size_t length = strlen(c->user);

        if (strncmp(port, c->user, length) != 0 || port[length] != '.' ||
            strcmp(port + length + 1, c->uses) != 0)
            continue;
        for (size_t k = 0; k < p->n_parts; k++)
            if (portolan_part_uses(&p->parts[k], c))
                return true;
    }
    return false;
}

/* Notes what PORT needs for rows of all calls, and the commands that restore its present state. */
static bool note_port(void *arg, const struct portolan_control_port *port)
{
    struct port_search *s = arg;

    if (!port->name || !is_part(s->assembly, port->name))
        return true;
    if (port->variant != PORTOLAN_VARIANT_MASTERMIND) {
        portolan_text_add(&s->begin, "mastermind %s\n", port->name);
        portolan_text_add(&s->end, "%s %s\n", portolan_variant_name(port->variant), port->name);
    }
    if (port->one_in > 1) {
        portolan_text_add(&s->begin, "sample 1 %s\n", port->name);
        portolan_text_add(&s->end, "sample %u %s\n", (unsigned)port->one_in, port->name);
    }
    if (!port->has_rows) {
        portolan_text_add(&s->begin, "rows %s\n", port->name);
        portolan_text_add(&s->end, "norows %s\n", port->name);
    }
    return true;
}

static enum portolan_status control(struct diagnosis_component *d, const char *commands,
                                    struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;

    if (*commands)
        sidl_String_free(portolan_ports_Control_execute(d->control, commands, &ex));
    return portolan_catch(&ex, err);
}

/* Asks ports for rows; `before` restores their state. */
static enum portolan_status measure_parts(struct diagnosis_component *d, struct portolan_error *err)
{
    struct port_search s = {.assembly = d->assembly};
    char *commands = NULL;
    enum portolan_status status;

    portolan_control_visit(note_port, &s);
    status = portolan_text_take(&s.begin, &commands, err);
    if (!status)
        status = portolan_text_take(&s.end, &d->window.before, err);
    if (!status)
        status = control(d, commands, err);
    portolan_text_clear(&s.begin);
    portolan_text_clear(&s.end);
    free(commands);
    return status;
}

static void measure_as_before(struct diagnosis_component *d)
{
    struct portolan_error err = {0};

    if (d->window.before && control(d, d->window.before, &err))
        portolan_log(PORTOLAN_LOG_WARNING, "diagnosis", "ports continue to store rows: %s",
                     err.text);
    free(d->window.before);
    d->window.before = NULL;
}

/* ------------------------------------------------- files */

/* Returns the file of the experiment store; NULL: it has none. */
static const char *peek_store(const struct diagnosis_component *d)
{
    const struct portolan_assembly *a = d->assembly;

    for (size_t i = 0; i < a->n_connections; i++) {
        const struct portolan_assembly_connection *c = &a->connections[i];
        const char *file = c->provider && !strcmp(c->provides, "records")
                               ? portolan_assembly_peek_parameter(a, c->provider, "store")
                               : NULL;

        if (file)
            return *file && !strstr(file, "://") ? file : NULL;
    }
    return "portolan.db";
}

static char *name_folder(const struct diagnosis_component *d)
{
    const char *store = peek_store(d);
    long long trial = d->records->ops->trial(d->records);

    if (*d->trace)
        return portolan_strdup(d->trace);
    return portolan_asprintf("%s.traces/%lld", store ? store : "portolan", trial);
}

/* Removes the streams of another run, which would be taken for this one's. */
static void remove_streams(const char *folder)
{
    DIR *dir = opendir(folder);

    for (struct dirent *e; dir && (e = readdir(dir));) {
        const char *dot = strrchr(e->d_name, '.');

        if (dot && !strcmp(dot, ".trace"))
            unlinkat(dirfd(dir), e->d_name, 0);
    }
    if (dir)
        closedir(dir);
}

/* Makes the empty folder, and the one around it; on rank 0. */
static enum portolan_status make_folder(struct diagnosis_component *d, struct portolan_error *err)
{
    char *slash = strrchr(d->folder, '/');
    struct stat status;

    if (slash && slash != d->folder) {
        *slash = '\0';
        mkdir(d->folder, 0777);
        *slash = '/';
    }
    if (mkdir(d->folder, 0777) && (stat(d->folder, &status) || !S_ISDIR(status.st_mode)))
        return portolan_error_set(err, PORTOLAN_EIO, "cannot make the folder %s for traces: %s",
                                  d->folder, strerror(errno));
    remove_streams(d->folder);
    if (!*d->trace && peek_store(d)) {
        const char *name = slash; /* relative to the store's folder */

        while (name > d->folder && name[-1] != '/')
            name--;
        d->records->ops->put_fact(d->records, PORTOLAN_STORE_TRACE, name);
    }
    return PORTOLAN_OK;
}

/* ------------------------------------------------- begin and end */

static enum portolan_status begin(struct diagnosis_component *d, struct portolan_error *err)
{
    const struct portolan_record_settings settings = {.folder = d->folder};
    enum portolan_status status = portolan_record_configure(&settings, err);

    return status ? status : measure_parts(d, err);
}

enum portolan_status diagnosis_open_window(struct diagnosis_component *d, int n,
                                           struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    free(d->folder);
    d->folder = name_folder(d);
    if (!d->folder)
        status = portolan_no_memory(err);
    else if (d->cohort->rank == 0)
        status = make_folder(d, err);
    status = portolan_cohort_agree(d->cohort, status, err);
    if (status)
        return status;
    portolan_record_off();
    status = portolan_cohort_agree(d->cohort, begin(d, err), err);
    if (status) {
        measure_as_before(d);
        return status;
    }
    d->window.is_open = true;
    d->window.first = d->step;
    d->window.end = d->step + n;
    d->window.lost = portolan_record_lost();
    portolan_machine_read(&d->window.machine);
    portolan_record_on();
    return PORTOLAN_OK;
}

void diagnosis_drop_window(struct diagnosis_component *d)
{
    if (!d->window.is_open)
        return;
    d->window.is_open = false;
    portolan_record_off();
    portolan_record_close();
    measure_as_before(d);
}

enum portolan_status diagnosis_close_window(struct diagnosis_component *d,
                                            struct portolan_machine_reading **machine,
                                            struct portolan_error *err)
{
    struct portolan_machine_reading now, *mine = &d->window.machine;
    uint64_t lost;
    void *all = NULL;
    enum portolan_status status = PORTOLAN_OK;

    *machine = NULL;
    diagnosis_drop_window(d); /* first: what the ranks do here is not the program's */
    portolan_machine_read(&now);
    portolan_machine_subtract(mine, &now);
    lost = portolan_record_lost() - d->window.lost;
    if (lost)
        status = portolan_error_set(err, PORTOLAN_EIO,
                                    "%llu events could not be written below %s: is the disk full?",
                                    (unsigned long long)lost, d->folder);
    status = portolan_cohort_agree(d->cohort, status, err);
    if (!status && d->cohort->gather(d->cohort, mine, sizeof *mine, &all, NULL))
        status = portolan_error_set(err, PORTOLAN_EIO, "the ranks could not be compared");
    *machine = all;
    return portolan_cohort_agree(d->cohort, status, err);
}
