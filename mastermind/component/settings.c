/* SPDX-License-Identifier: BSD-3-Clause */
/* The Mastermind's parameters: what is recorded, and in how much room. */
#include "mastermind.h"

#include <portolan/control.h>

#include <stdlib.h>
#include <string.h>

enum { MIB_SHIFT = 20, MIB_MAX = 1 << 24 };

static void clear(struct mastermind_settings *s)
{
    free(s->begin);
    free(s->end);
    *s = (struct mastermind_settings){0};
}

/* ------------------------------------------------------------------ lists of ports */

/* The next of TEXT's words, which commas or blanks separate; NULL: none. */
static char *next_word(char *text, char **rest)
{
    return strtok_r(text, ", \t\r\n", rest);
}

static void add_rows(char *list, struct portolan_text *begin, struct portolan_text *end)
{
    char *rest = NULL;

    for (char *w = next_word(list, &rest); w; w = next_word(NULL, &rest)) {
        const char *glob = strcmp(w, "all") ? w : "*";

        portolan_text_add(begin, "rows %s\n", glob);
        portolan_text_add(end, "norows %s\n", glob);
    }
}

/* "N" is for all ports but that of go, "GLOB=N" for some; later entries override earlier ones. */
static void add_sampling(char *list, struct portolan_text *begin, struct portolan_text *end,
                         sidl_BaseInterface *_ex)
{
    char *rest = NULL;

    for (char *w = next_word(list, &rest); w && !*_ex; w = next_word(NULL, &rest)) {
        char *equals = strrchr(w, '=');
        const char *glob = equals ? w : "*", *number = equals ? equals + 1 : w;
        int64_t n;

        if (!portolan_read_int64(number, &n) || n < 1 || n > PORTOLAN_PROBE_SAMPLING_MAX) {
            portolan_throw(_ex, PORTOLAN_EINVAL,
                           "the parameter 'sample' has '%s'; write N to time one call in N, from 1 "
                           "to %u, of all ports, or GLOB=N",
                           w, PORTOLAN_PROBE_SAMPLING_MAX);
            return;
        }
        if (equals)
            *equals = '\0';
        portolan_text_add(begin, "sample %lld %s\n", (long long)n, glob);
        if (!equals) /* its one call is the time of the run */
            portolan_text_add(begin, "sample 1 type:gov.cca.ports.GoPort\n");
        portolan_text_add(end, "sample 1 %s\n", glob);
    }
}

static void take_lists(struct mastermind *m, char *rows, char *sample, sidl_BaseInterface *_ex)
{
    struct mastermind_settings *s = &m->settings;
    struct portolan_text begin = {0}, end = {0};

    s->has_rows = rows[strspn(rows, ", \t\r\n")];
    if (m->recorder.summary_only && m->recorder.cohort->rank != 0)
        s->has_rows = false; /* they would not be stored */
    if (s->has_rows)
        add_rows(rows, &begin, &end);
    add_sampling(sample, &begin, &end, _ex);
    if (portolan_text_take(&begin, &s->begin, NULL) || portolan_text_take(&end, &s->end, NULL))
        sidl_exception_throw_no_memory(_ex);
    portolan_text_clear(&begin);
    portolan_text_clear(&end);
}

/* ------------------------------------------------------------------ the rest */

static void take_room(struct mastermind_settings *s, int64_t memory_mib, int64_t spill_mib,
                      sidl_BaseInterface *_ex)
{
    if (memory_mib < 1 || memory_mib > MIB_MAX || spill_mib < 0 || spill_mib > MIB_MAX) {
        portolan_throw(
            _ex, PORTOLAN_EINVAL,
            "'rows.memory' and 'rows.spill' are MiB for each rank, from 1 and 0 up to %d", MIB_MAX);
        return;
    }
    s->memory_bytes = (size_t)memory_mib << MIB_SHIFT;
    s->spill_bytes = (uint64_t)spill_mib << MIB_SHIFT;
}

static void take_detail(struct mastermind *m, const char *detail, sidl_BaseInterface *_ex)
{
    m->recorder.summary_only = !strcmp(detail, "summary");
    if (!m->recorder.summary_only && strcmp(detail, "ranks"))
        portolan_throw(_ex, PORTOLAN_EINVAL,
                       "the parameter 'detail' is '%s'; write 'ranks' to store the samples of all "
                       "ranks, 'summary' for statistics over them and rank 0's samples",
                       detail);
    else if (m->recorder.summary_only)
        portolan_facts_put(&m->recorder.facts, "samples not stored", "those of ranks but rank 0");
}

/* Seconds: short against what a user waits, long against what a swap point costs. */
static const double usual_group_s = 0.01;
enum { MOST_GROUP_S = 60 };

void mastermind_settings_read(struct mastermind *m, gov_cca_TypeMap properties,
                              sidl_BaseInterface *_ex)
{
    struct mastermind_settings *s = &m->settings;
    char *rows = NULL, *sample = NULL, *detail = NULL;
    int64_t memory, spill;

    rows = gov_cca_TypeMap_getString(properties, "rows", "", _ex);
    SIDL_CHECK(*_ex);
    sample = gov_cca_TypeMap_getString(properties, "sample", "", _ex);
    SIDL_CHECK(*_ex);
    detail = gov_cca_TypeMap_getString(properties, "detail", "ranks", _ex);
    SIDL_CHECK(*_ex);
    memory = gov_cca_TypeMap_getLong(properties, "rows.memory",
                                     PORTOLAN_PROBE_ROWS_MEMORY >> MIB_SHIFT, _ex);
    SIDL_CHECK(*_ex);
    spill = gov_cca_TypeMap_getLong(properties, "rows.spill",
                                    PORTOLAN_PROBE_ROWS_SPILL >> MIB_SHIFT, _ex);
    SIDL_CHECK(*_ex);
    s->rotates = gov_cca_TypeMap_getBool(properties, "counters.rotate", FALSE, _ex);
    SIDL_CHECK(*_ex);
    s->group_s = gov_cca_TypeMap_getDouble(properties, "group", -1, _ex);
    SIDL_CHECK(*_ex);
    if (s->group_s != -1 && !(s->group_s >= 0 && s->group_s <= MOST_GROUP_S))
        portolan_throw(_ex, PORTOLAN_EBADPROPERTIES,
                       "parameter 'group' is %g: want 0 to %d seconds", s->group_s, MOST_GROUP_S);
    SIDL_CHECK(*_ex);
    take_detail(m, detail, _ex);
    SIDL_CHECK(*_ex);
    take_room(s, memory, spill, _ex);
    SIDL_CHECK(*_ex);
    if (*rows)
        portolan_facts_put(&m->recorder.facts, "rows", rows);
    if (*sample)
        portolan_facts_put(&m->recorder.facts, "sampling", sample);
    take_lists(m, rows, sample, _ex);
EXIT:
    sidl_String_free(rows);
    sidl_String_free(sample);
    sidl_String_free(detail);
}

void mastermind_settings_group(struct mastermind *m)
{
    bool is_manual = portolan_probe_clock_get() == PORTOLAN_PROBE_CLOCK_MANUAL;
    double group_s = m->settings.group_s;

    m->recorder.group_ns = 1e9 * (group_s >= 0 ? group_s : is_manual ? 0 : usual_group_s);
    m->recorder.stores_all = m->settings.has_rows || m->settings.rotates;
}

void mastermind_settings_begin(struct mastermind *m, sidl_BaseInterface *_ex)
{
    struct mastermind_settings *s = &m->settings;
    const struct portolan_probe_rows_limits limits = {.memory_bytes = s->memory_bytes,
                                                      .spill_bytes = s->spill_bytes};
    struct portolan_error err = {0};
    enum portolan_status status = PORTOLAN_OK;

    if (s->has_rows)
        status = portolan_probe_rows_configure(&limits, &err);
    if (!status && *s->begin)
        status = portolan_control_apply(s->begin, "mastermind", &err);
    s->has_begun = !status;
    if (status)
        portolan_throw(_ex, status, "%s", err.text);
}

/* ------------------------------------------------------------------ patterns without ports */

enum { PORTS_TEXT_MAX = 400 };

static bool list_port(void *arg, const struct portolan_control_port *port)
{
    struct portolan_text *names = arg;

    if (names->length > PORTS_TEXT_MAX) {
        portolan_text_add(names, ", and more");
        return false;
    }
    portolan_text_add(names, "%s%s", names->length ? ", " : "", port->name ? port->name : "?");
    return true;
}

/* Commands are lines that end with their pattern. "*" and the go port need not match anything. */
static void list_idle(char *commands, struct portolan_text *globs)
{
    char *rest = NULL;

    for (char *l = strtok_r(commands, "\n", &rest); l; l = strtok_r(NULL, "\n", &rest)) {
        const char *glob = strrchr(l, ' ') + 1;

        if (strcmp(glob, "*") != 0 && strcmp(glob, "type:gov.cca.ports.GoPort") != 0 &&
            portolan_control_is_idle(glob))
            portolan_text_add(globs, "%s'%s'", globs->length ? ", " : "", glob);
    }
}

void mastermind_settings_check(struct mastermind *m)
{
    struct portolan_text globs = {0}, names = {0};
    char *commands = m->settings.has_begun ? portolan_strdup(m->settings.begin) : NULL;
    char *text = NULL;

    if (commands)
        list_idle(commands, &globs);
    if (globs.length) {
        portolan_control_visit(list_port, &names);
        text = portolan_asprintf("no port matches %s; ports are %s", globs.bytes,
                                 names.length ? names.bytes : "none");
    }
    if (text) {
        portolan_log(PORTOLAN_LOG_WARNING, "mastermind", "%s", text);
        portolan_facts_put(&m->recorder.facts, "rows and sampling of nothing", text);
    }
    free(text);
    free(commands);
    portolan_text_clear(&globs);
    portolan_text_clear(&names);
}

void mastermind_settings_end(struct mastermind *m)
{
    if (m->settings.has_begun && *m->settings.end)
        portolan_control_apply(m->settings.end, "mastermind", NULL);
    clear(&m->settings);
}
