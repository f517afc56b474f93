/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan model compare: predicted against measured, or two sets of trials. */
#include "model.h"

enum { TOP = 50 };

static enum portolan_status write_errors(const struct portolan_trends *trends, size_t top,
                                         struct portolan_text *out, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; !status && i < trends->n && (!top || i < top); i++) {
        portolan_text_add(out, "%s%s\n", i ? "\n" : "", trends->items[i].path);
        if (trends->items[i].model)
            portolan_text_add(out, "  %s\n", portolan_model_peek_formula(trends->items[i].model));
        status = portolan_trend_write_errors(trends, &trends->items[i], out, err);
    }
    if (!status && top && trends->n > top)
        portolan_text_add(out, "\n(%zu more; --top=0 shows all)\n", trends->n - top);
    return status;
}

/* The second source: other trials of the same store, or another store or file. */
static enum portolan_status open_second(const struct model_options *o,
                                        struct portolan_trends **trends, struct portolan_error *err)
{
    struct model_options other = *o;

    if (o->n_sets == 2) {
        other.trials = o->sets[1];
    } else {
        other.store.file = o->sets[0];
        other.trials = NULL;
    }
    return model_source_open(&other, trends, err);
}

int model_verb_compare(int argc, char **argv)
{
    static const struct argp_child children[] = {{&model_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .args_doc = "SOURCE\nSOURCE SOURCE\nSTORE TRIALS TRIALS",
        .doc = "Compare measured values with predicted ones, point by point; with two sources, or "
               "two sets of trials of one store, their models side by side. A source is a store, "
               "an assembly or a file of measurements.",
        .children = children,
    };
    struct model_options o = {.top = TOP, .most_sets = 2};
    struct portolan_trends *a = NULL, *b = NULL;
    struct portolan_text out = {0};
    struct portolan_error err = {0};
    int result;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    o.trials = o.n_sets == 2 ? o.sets[0] : NULL;
    if (model_source_open(&o, &a, &err) == PORTOLAN_OK && o.n_sets == 0)
        write_errors(a, o.top, &out, &err);
    else if (err.status == PORTOLAN_OK && open_second(&o, &b, &err) == PORTOLAN_OK)
        portolan_trends_write_comparison(a, b, o.top, o.wide, &out, &err);
    result = model_source_finish(&out, NULL, &err);
    portolan_trends_destroy(a);
    portolan_trends_destroy(b);
    return result;
}
