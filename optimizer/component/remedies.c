/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses a diagnosis of the running assembly (portolan.ports.Diagnosis): alternatives that remedy a
 * finding are tried first in the race, and those that can gain too little are not tried.
 */
#include "component.h"

#include <math.h>
#include <string.h>

/* The number of steps to ask for if none were diagnosed before. */
enum { STEPS = 10 };

void optimizer_get_diagnosis(struct optimizer *o, sidl_BaseInterface *_ex)
{
    gov_cca_Port port = gov_cca_Services_getPortNonblocking(o->services, "diagnosis", _ex);
    sidl_BaseInterface ignored = NULL;

    if (*_ex || !port)
        return;
    o->diagnosis = portolan_ports_Diagnosis__cast(port, _ex);
    gov_cca_Port_deleteRef(port, &ignored);
    if (!*_ex && !o->diagnosis)
        portolan_throw(_ex, PORTOLAN_EBADPORTTYPE,
                       "the port connected to 'diagnosis' is not a portolan.ports.Diagnosis");
}

bool optimizer_is_diagnosing(const struct optimizer *o)
{
    sidl_BaseInterface ex = NULL;
    bool is_pending = o->diagnosis && portolan_ports_Diagnosis_isPending(o->diagnosis, &ex);

    is_pending = is_pending && !ex;
    SIDL_CLEAR(ex);
    return is_pending;
}

/* ------------------------------------------------- findings */

struct finding {
    char *title, *instance, *port, *factor, *verdict;
    double share, gain, low, high;
};

static void free_finding(struct finding *f)
{
    char *texts[] = {f->title, f->instance, f->port, f->factor, f->verdict};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        sidl_String_free(texts[i]);
}

/* Returns whether one of the WORDS is FACTOR, or its last part: "inter_level" of
 * "restriction.inter_level".
 */
static bool names_factor(const char *words, const char *factor)
{
    const char *dot = strrchr(factor, '.'), *last = dot ? dot + 1 : factor;

    for (size_t n; *(words += strspn(words, " \t\r\n")); words += n) {
        n = strcspn(words, " \t\r\n");
        if ((strlen(factor) == n && !strncmp(words, factor, n)) ||
            (strlen(last) == n && !strncmp(words, last, n)))
            return true;
    }
    return false;
}

/* Adds the gain of F to the option that remedies it. */
static void add_finding(struct optimizer *o, struct optimizer_option *x, const struct finding *f)
{
    bool is_problem = !strcmp(f->verdict, "problem");
    double gain = isnan(f->gain) ? f->share : f->gain, most = isnan(f->high) ? f->share : f->high;
    char words[80];

    x->is_remedy = true;
    x->most += !strcmp(f->verdict, "cannot tell") || isnan(most) ? INFINITY : fmax(most, 0);
    if (!is_problem || !(gain > 0))
        return;
    if (!x->finding && !isnan(f->gain))
        x->finding = portolan_arena_printf(
            &o->mind.findings, "%s, %s", f->title,
            portolan_format_gain(
                &(struct portolan_gain){.share = f->gain, .low = f->low, .high = f->high}, words,
                sizeof words));
    else if (!x->finding)
        x->finding = portolan_arena_strdup(&o->mind.findings, f->title);
    x->gain = fmin(x->gain + gain, 1);
}

static const char *remedies_of(const struct optimizer *o, const struct optimizer_option *x)
{
    return o->assembly->instances[x->instance].alternatives[x->alternative].remedies;
}

static void take_finding(struct optimizer *o, int number)
{
    struct finding f = {0};
    sidl_BaseInterface ex = NULL;

    f.title =
        portolan_ports_Diagnosis_getFinding(o->diagnosis, number, &f.instance, &f.port, &f.factor,
                                            &f.share, &f.gain, &f.low, &f.high, &f.verdict, &ex);
    for (size_t i = 0; !ex && f.title && i < o->n_options; i++)
        if (remedies_of(o, &o->options[i]) &&
            names_factor(remedies_of(o, &o->options[i]), f.factor))
            add_finding(o, &o->options[i], &f);
    SIDL_CLEAR(ex);
    free_finding(&f);
}

/* Forgets the remedies and gains of all options. */
static void forget(struct optimizer *o)
{
    portolan_arena_clear(&o->mind.findings);
    for (size_t i = 0; i < o->n_options; i++) {
        o->options[i].is_remedy = false;
        o->options[i].finding = NULL;
        o->options[i].gain = o->options[i].most = 0;
    }
}

static void inform_race(struct optimizer *o)
{
    for (size_t i = 0; i < o->n_options; i++) {
        const struct optimizer_option *x = &o->options[i];

        if (x->is_remedy)
            portolan_race_remedy(o->mind.race, x->instance, x->alternative, x->gain, x->most);
    }
}

void optimizer_take_findings(struct optimizer *o)
{
    struct optimizer_mind *m = &o->mind;
    char *verdict = NULL, *why = NULL;
    sidl_BaseInterface ex = NULL;
    int32_t first, last, n;
    bool is_clear;

    if (!o->diagnosis || !m->race)
        return;
    n = portolan_ports_Diagnosis_getVerdict(o->diagnosis, &first, &last, &verdict, &why, &ex);
    is_clear =
        !ex && verdict && (!strcmp(verdict, "problem") || !strcmp(verdict, "no problem found"));
    SIDL_CLEAR(ex);
    sidl_String_free(verdict);
    sidl_String_free(why);
    if (last == m->diagnosed_last)
        return;
    m->diagnosed_last = last;
    m->diagnosed_steps = last - first + 1;
    m->diagnosed_changes = portolan_race_peek(m->race).changes;
    forget(o);
    if (!is_clear || o->swap_step > first) /* the diagnosed steps had more than one assembly */
        return;
    for (int32_t i = 1; i <= n; i++)
        take_finding(o, i);
    inform_race(o);
}

/* ------------------------------------------------- asking */

bool optimizer_wants_diagnosis(struct optimizer *o, int step)
{
    const struct optimizer_mind *m = &o->mind;
    int n = m->diagnosed_last < 0 ? STEPS : m->diagnosed_steps;
    bool is_new =
        m->diagnosed_last < 0 || portolan_race_peek(m->race).changes != m->diagnosed_changes;

    if (!o->diagnosis || o->is_refused || !is_new || optimizer_remaining(o, step) <= 2 * n ||
        memcmp(o->current, portolan_race_peek(m->race).incumbent,
               o->assembly->n_instances * sizeof *o->current) != 0)
        return false;
    for (size_t i = 0; i < o->n_options; i++)
        if (remedies_of(o, &o->options[i]) &&
            o->current[o->options[i].instance] != (int32_t)o->options[i].alternative)
            return true;
    return false;
}

void optimizer_ask_diagnosis(struct optimizer *o)
{
    sidl_BaseInterface ex = NULL;
    struct portolan_error err = {0};
    char *verdict = NULL, *why = NULL;
    int32_t first = -1, last = -1;

    if (!o->asks)
        return;
    o->asks = false;
    portolan_ports_Diagnosis_getVerdict(o->diagnosis, &first, &last, &verdict, &why, &ex);
    sidl_String_free(verdict);
    sidl_String_free(why);
    if (!ex)
        portolan_ports_Diagnosis_diagnose(o->diagnosis, last < 0 ? STEPS : last - first + 1, &ex);
    if (portolan_catch(&ex, &err)) {
        o->is_refused = true;
        portolan_log(PORTOLAN_LOG_INFO, "optimizer", "no diagnosis: %s", err.text);
    }
}

const char *optimizer_peek_finding(const struct optimizer *o)
{
    for (size_t i = 0; i < o->assembly->n_instances; i++)
        if (o->wanted[i] != o->current[i] && optimizer_has_choice(o, i) &&
            optimizer_option(o, i, (size_t)o->wanted[i])->finding)
            return optimizer_option(o, i, (size_t)o->wanted[i])->finding;
    return NULL;
}
