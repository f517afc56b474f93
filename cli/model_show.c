/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan model show: all that is known of some models. */
#include "model.h"

enum { TOP = 10 };

struct options {
    struct model_options source;
    enum model_form form;
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    (void)arg;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = &o->source;
    state->child_inputs[1] = &o->form;
    return 0;
}

static enum portolan_status write_all(const struct portolan_trends *trends, size_t top,
                                      struct portolan_text *out, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; !status && i < trends->n && (!top || i < top); i++) {
        portolan_text_add(out, i ? "\n" : "");
        status = portolan_trend_write(trends, &trends->items[i], out, err);
    }
    if (!status && top && trends->n > top)
        portolan_text_add(out, "\n(%zu more; --top=0 shows all)\n", trends->n - top);
    return status;
}

int model_verb_show(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&model_argp, 0, NULL, 1}, {&model_emit_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .parser = parse_option,
        .args_doc = "[STORE|ASSEMBLY.xml|FILE] [TRIALS]",
        .doc = "Show all that is known of the models of call paths: --method chooses them.",
        .children = children,
    };
    struct options o = {.source = {.top = TOP}};
    struct portolan_trends *trends = NULL;
    struct portolan_text out = {0};
    struct portolan_error err = {0};
    int result;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (model_source_open(&o.source, &trends, &err) == PORTOLAN_OK && o.form)
        model_emit(trends, o.form, &out, &err);
    else if (err.status == PORTOLAN_OK)
        write_all(trends, o.source.top, &out, &err);
    result = model_source_finish(&out, NULL, &err);
    portolan_trends_destroy(trends);
    return result;
}
