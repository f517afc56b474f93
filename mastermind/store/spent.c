/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports how a trial spent its time, and what Portolan cost it. */
#include "internal.h"

#include <math.h>
#include <string.h>

static const double worth_a_word = 0.02;

/* NaN: it was not stored. */
static double fact(const struct portolan_trial *t, const char *name)
{
    double ns = NAN;

    portolan_read_double(portolan_trial_peek_fact(t, name), &ns);
    return ns;
}

static double part(const struct portolan_trial *t, const char *name)
{
    return fmax(0, fact(t, name)); /* of NaN, too, it is 0 */
}

enum { CALLS, OUTSIDE, DECIDING, STORING, WAITING, PARTS };
enum { MEASURING, EXPLORING };

bool portolan_trial_read_spent(const struct portolan_trial *t, struct portolan_spent *s)
{
    double wall_ns = fact(t, PORTOLAN_FACT_WALL);

    if (!(wall_ns > 0))
        return false;
    *s = (struct portolan_spent){
        .wall_ns = wall_ns,
        .processor_ns = part(t, PORTOLAN_FACT_PROCESSOR),
        .parts = {[CALLS] = {"in measured calls", part(t, PORTOLAN_FACT_CALLS)},
                  [OUTSIDE] = {"outside them", wall_ns},
                  [DECIDING] = {"deciding", part(t, PORTOLAN_FACT_DECIDING)},
                  [STORING] = {"storing", part(t, PORTOLAN_FACT_STORING)},
                  [WAITING] = {"waiting for other ranks", part(t, PORTOLAN_FACT_WAITING)}},
        .contains = {[MEASURING] = {"measuring", part(t, PORTOLAN_FACT_MEASURING)},
                     [EXPLORING] = {"exploring", part(t, PORTOLAN_FACT_EXPLORING)}},
    };
    for (int i = 0; i < PARTS; i++)
        s->parts[OUTSIDE].ns -= i == OUTSIDE ? 0 : s->parts[i].ns;
    s->overhead_ns = s->parts[DECIDING].ns + s->parts[STORING].ns + s->contains[MEASURING].ns +
                     s->contains[EXPLORING].ns;
    return true;
}

static void add_part(const struct portolan_spent_part *p, const char *before,
                     struct portolan_text *out)
{
    char time[32];

    portolan_text_add(out, "%s%s %s", before, portolan_format_time(p->ns, 3, time, sizeof time),
                      p->name);
}

/* Adds advice on the largest part of the overhead. */
static void add_advice(const struct portolan_spent *s, struct portolan_text *out)
{
    const struct {
        double ns;
        const char *text;
    } advice[] = {
        {s->contains[EXPLORING].ns, "exploring alternatives, which later runs on this store repeat "
                                    "less; to allow less, set explore.share"},
        {s->contains[MEASURING].ns, "measuring calls; monitor with sample=\"100\", or only what "
                                    "takes longer"},
        {s->parts[DECIDING].ns, "deciding; it weighs less with fewer swap points or longer steps"},
        {s->parts[STORING].ns,
         "storing; it weighs less with fewer swap points, in a longer run, or "
         "with the store on a local disk"},
    };
    size_t most = 0;

    for (size_t i = 1; i < sizeof advice / sizeof *advice; i++)
        if (advice[i].ns > advice[most].ns)
            most = i;
    portolan_text_add(out, "; most of it is %s", advice[most].text);
}

void portolan_spent_add(const struct portolan_spent *s, struct portolan_text *out)
{
    double share = s->overhead_ns / s->wall_ns;
    char time[32];

    portolan_text_add(out, "wall time %s:", portolan_format_time(s->wall_ns, 3, time, sizeof time));
    for (int i = 0; i < PARTS; i++)
        if (i < WAITING || s->parts[i].ns > 0)
            add_part(&s->parts[i], i ? ", " : " ", out);
    portolan_text_add(out, "; processor time %s; overhead %.2g %%",
                      portolan_format_time(s->processor_ns, 3, time, sizeof time), 100 * share);
    for (int i = MEASURING; i <= EXPLORING; i++)
        if (s->contains[i].ns > 0)
            add_part(&s->contains[i], i == MEASURING ? ", with " : ", ", out);
    if (share > worth_a_word)
        add_advice(s, out);
}
