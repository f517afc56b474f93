/* SPDX-License-Identifier: BSD-3-Clause */
/* --emit: models in forms that other programs read. */
#include "model.h"

#include <portolan/extrap.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct argp_option options[] = {
    {"emit", 'e', "FORM", 0,
     "xml, c, latex; extrap (its JSON Lines), extrap-json or extrap-text: the rows for Extra-P", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    static const char *const forms[] = {"xml",    "c",           "latex",
                                        "extrap", "extrap-json", "extrap-text"};
    enum model_form *form = state->input;

    if (key != 'e')
        return ARGP_ERR_UNKNOWN;
    *form = (enum model_form)(1 + model_read_word(state, "--emit", arg, forms, 6));
    return 0;
}

const struct argp model_emit_argp = {.options = options, .parser = parse_option};

static enum portolan_status missing(const struct portolan_trend *t, struct portolan_error *err)
{
    return portolan_error_set(err, PORTOLAN_EINVAL, "'%s' has no model: %s", t->path,
                              t->why ? t->why : "");
}

/* "driver.go->solver.solve [heat.Band]" as "solver_solve_heat_Band", and a number where it was. */
static void add_identifier(const struct portolan_trends *trends, size_t i,
                           struct portolan_text *name)
{
    const char *label = trends->items[i].label;
    size_t begin = name->length;

    if (!isalpha((unsigned char)*label) && *label != '_')
        portolan_text_add(name, "model_");
    for (const char *c = label; *c; c++) {
        if (isalnum((unsigned char)*c) && (unsigned char)*c < 128)
            portolan_text_add(name, "%c", *c);
        else if (name->length > begin && name->bytes[name->length - 1] != '_')
            portolan_text_add(name, "_");
    }
    while (name->length > begin + 1 && name->bytes[name->length - 1] == '_')
        name->bytes[--name->length] = '\0';
    for (size_t k = 0; k < i; k++)
        if (!strcmp(trends->items[k].label, label)) {
            portolan_text_add(name, "_%zu", i);
            break;
        }
}

static enum portolan_status write_one(const struct portolan_trends *trends, size_t i,
                                      enum model_form form, char **text, struct portolan_error *err)
{
    const struct portolan_trend *t = &trends->items[i];
    struct portolan_text name = {0};
    enum portolan_status status;
    char *function = NULL;

    if (!t->model)
        return missing(t, err);
    if (form == MODEL_XML)
        return portolan_model_write_xml(t->model, text, err);
    if (form == MODEL_LATEX)
        return portolan_model_write_latex(t->model, text, err);
    add_identifier(trends, i, &name);
    status =
        name.failed ? portolan_no_memory(err) : portolan_model_name_c(name.bytes, &function, err);
    if (!status)
        status = portolan_model_write_c(t->model, function, text, err);
    free(function);
    portolan_text_clear(&name);
    return status;
}

static enum portolan_status write_rows(const struct portolan_trends *trends, enum model_form form,
                                       char **text, struct portolan_error *err)
{
    enum portolan_measurements_format format = form == MODEL_EXTRAP ? PORTOLAN_MEASUREMENTS_JSONL
                                               : form == MODEL_EXTRAP_JSON
                                                   ? PORTOLAN_MEASUREMENTS_JSON
                                                   : PORTOLAN_MEASUREMENTS_TEXT;

    return portolan_trends_write_extrap(trends, format, text, err);
}

enum portolan_status model_emit(const struct portolan_trends *trends, enum model_form form,
                                struct portolan_text *out, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    bool rows = form >= MODEL_EXTRAP;

    if (form == MODEL_XML && trends->n > 1)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "XML holds one model, here are %zu: choose with --method",
                                  trends->n);
    for (size_t i = 0; !status && i < (rows ? 1 : trends->n); i++) {
        char *text = NULL;

        status =
            rows ? write_rows(trends, form, &text, err) : write_one(trends, i, form, &text, err);
        if (!status && i)
            portolan_text_add(out, "\n");
        if (!status)
            portolan_text_add_bytes(out, text, strlen(text));
        if (!status && out->length && out->bytes && out->bytes[out->length - 1] != '\n')
            portolan_text_add(out, "\n");
        free(text);
    }
    return status;
}
