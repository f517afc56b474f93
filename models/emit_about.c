/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands above a model that was written as code: unit, ranges, error, where it is from. */
#include "emit.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/*
 * Text of others in a comment: no line ends, nothing that ends or begins a comment of C, no
 * trigraph, and no characters that turn the direction of what follows (U+202A…E, U+2066…9).
 */
static void add_safe(struct portolan_text *out, const char *text)
{
    for (; *text; text++) {
        const unsigned char *s = (const unsigned char *)text;
        bool turns = s[0] == 0xe2 && ((s[1] == 0x80 && s[2] >= 0xaa && s[2] <= 0xae) ||
                                      (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));

        if (turns) {
            portolan_text_add(out, "?");
            text += 2;
        } else if (iscntrl(*s)) {
            portolan_text_add(out, " ");
        } else if ((s[0] == '*' && s[1] == '/') || (s[0] == '/' && s[1] == '*') ||
                   (s[0] == '?' && s[1] == '?')) {
            portolan_text_add(out, "%c ", *text);
        } else {
            portolan_text_add_bytes(out, text, 1);
        }
    }
}

static void add_line(struct portolan_text *out, const char *prefix, const char *what,
                     const char *text)
{
    if (!text)
        return;
    portolan_text_add(out, "%s%s", prefix, what);
    add_safe(out, text);
    portolan_text_add(out, "\n");
}

static void add_number(struct portolan_text *out, const char *before, double value)
{
    char text[NUMBER_TEXT];

    number_write_short(value, 6, text);
    portolan_text_add(out, "%s%s", before, text);
}

static void add_ranges(struct portolan_text *out, const struct portolan_model *m,
                       const char *prefix)
{
    for (size_t p = 0; p < m->n_params; p++) {
        const struct portolan_model_range *r = &m->range[p];

        portolan_text_add(out, "%s", prefix);
        add_safe(out, m->params[p]);
        if (m->envelope.param_units[p]) {
            portolan_text_add(out, " [");
            add_safe(out, m->envelope.param_units[p]);
            portolan_text_add(out, "]");
        }
        if (isinf(r->min) && isinf(r->max)) {
            portolan_text_add(out, ": any value\n");
            continue;
        }
        add_number(out, ": valid from ", r->min);
        add_number(out, " to ", r->max);
        portolan_text_add(out, "; outside it is a guess\n");
    }
}

static void add_error(struct portolan_text *out, const struct portolan_model *m, const char *prefix)
{
    const struct portolan_model_summary *s = &m->summary;
    bool relative = s->weighting == PORTOLAN_MODEL_RELATIVE;

    if (!s->n_rows) {
        portolan_text_add(out, "%sNot fitted to rows: taken as known.\n", prefix);
        return;
    }
    portolan_text_add(out, "%sFitted to %zu row%s at %zu point%s; standard deviation of a row",
                      prefix, s->n_rows, s->n_rows == 1 ? "" : "s", s->n_points,
                      s->n_points == 1 ? "" : "s");
    add_number(out, " ", s->sigma * (relative ? 100 : 1));
    portolan_text_add(out, "%s%s.\n", relative ? " %" : "",
                      s->sigma_is_assumed ? " (assumed)" : "");
}

void emit_about(struct portolan_text *out, const struct portolan_model *m, const char *prefix)
{
    const struct portolan_model_envelope *e = &m->envelope;

    add_line(out, prefix, "", e->name ? e->name : "A performance model.");
    add_line(out, prefix, "Quality: ", e->quality);
    add_line(out, prefix, "Unit of the value: ", e->unit ? e->unit : "that of the rows");
    if (m->summary.statistic == PORTOLAN_MODEL_DEVIATION)
        add_line(out, prefix, "", "The value is the standard deviation of repetitions.");
    if (m->summary.kind != PORTOLAN_MODEL_AMOUNT)
        add_line(out, prefix, "",
                 m->summary.kind == PORTOLAN_MODEL_COUNT ? "A count: round what comes out."
                                                         : "A share: what comes out is 0 to 1.");
    if (m->summary.bounded)
        add_line(out, prefix, "",
                 "Predictions outside the rows are kept above 0; this is the law alone.");
    add_line(out, prefix, "", m->formula);
    add_ranges(out, m, prefix);
    add_error(out, m, prefix);
    add_line(out, prefix, "Machine: ", e->machine);
    add_line(out, prefix, "Program: ", e->program);
    add_line(out, prefix, "Rows: ", e->source);
    add_line(out, prefix, "Made: ", e->created);
}
