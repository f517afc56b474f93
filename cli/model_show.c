/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan model show: all that is known of some models. */
#include "model.h"

enum { TOP = 10 };

int model_verb_show(int argc, char **argv)
{
    static const struct argp_child children[] = {{&model_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .args_doc = "[STORE|ASSEMBLY.xml|FILE] [TRIALS]",
        .doc = "Show all that is known of the models of call paths: --method chooses them.",
        .children = children,
    };
    struct model_options o = {.top = TOP};
    struct portolan_trends *trends = NULL;
    struct portolan_text out = {0};
    struct portolan_error err = {0};
    int result;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    model_source_open(&o, &trends, &err);
    for (size_t i = 0; err.status == PORTOLAN_OK && i < trends->n && (!o.top || i < o.top); i++) {
        portolan_text_add(&out, i ? "\n" : "");
        portolan_trend_write(trends, &trends->items[i], &out, &err);
    }
    if (err.status == PORTOLAN_OK && o.top && trends->n > o.top)
        portolan_text_add(&out, "\n(%zu more; --top=0 shows all)\n", trends->n - o.top);
    result = model_source_finish(&out, NULL, &err);
    portolan_trends_destroy(trends);
    return result;
}
