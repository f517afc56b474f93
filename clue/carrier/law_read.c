/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the options that give laws, and the laws that they name. */
#include "law.h"

#include <portolan/command.h>

#include <string.h>

static error_t add_law(void *to, char *text, const struct cli_option *option,
                       struct argp_state *state)
{
    struct clue_laws *laws = to;
    const char *end = strchr(text, '=');
    struct burst_law *law = &laws->laws[laws->n];

    (void)option;
    if (!end || end == text || !end[1])
        argp_error(state, "a law is SITE=FILE.xml or SITE=FORMULA, not '%s'", text);
    if (laws->n == MOST_LAWS)
        argp_error(state, "more than %d laws", MOST_LAWS);
    *law = (struct burst_law){.fact = portolan_asprintf("law %.*s", (int)(end - text), text),
                              .source = end + 1};
    law->name = law->fact + strlen("law ");
    law->routine = (struct clue_routine){law->name, CLUE_NO_NUMBER};
    if (strncmp(law->name, "MPI_", 4) == 0 || strncmp(law->name, "pvm_", 4) == 0)
        argp_error(state,
                   "the time of '%s' is the machine's, portolan-machine(5); laws are of "
                   "computing",
                   law->name);
    for (size_t i = 0; i < laws->n; i++)
        if (strcmp(laws->laws[i].name, law->name) == 0)
            argp_error(state, "there are two laws of '%s'", law->name);
    laws->n++;
    return 0;
}

static error_t add_value(void *to, char *text, const struct cli_option *option,
                         struct argp_state *state)
{
    struct clue_laws *laws = to;
    const char *end = strchr(text, '=');
    struct law_value *value = &laws->values[laws->n_values];

    (void)option;
    if (laws->n_values == MOST_LAWS)
        argp_error(state, "more than %d values", MOST_LAWS);
    if (!end || end == text || !portolan_read_double(end + 1, &value->value))
        argp_error(state, "a value is NAME=NUMBER, not '%s'", text);
    value->fact = portolan_asprintf("set %.*s", (int)(end - text), text);
    value->name = value->fact + strlen("set ");
    value->text = end + 1;
    laws->n_values++;
    return 0;
}

const struct cli_option law_options[] = {
    {.doc = "With --compute=model:", .group = 5},
    {"law", 0, "SITE=LAW",
     "time of the bursts that end at the call SITE (file.c:12, the function that contains it, or * "
     "for all others), or of each call of a library function SITE. LAW is FILE.xml, "
     "portolan-model(5), or a formula in seconds; may be repeated",
     .take = add_law},
    {"set", 0, "NAME=VALUE", "set a parameter of laws; may be repeated", .take = add_value},
    {"skip", 0, NULL, "do not call functions that have a law; results are void",
     INTO(struct clue_laws, skips)},
    {0},
};

/* ------------------------------------------------- laws */

/* Finds where PARAMETER comes from; returns false if nothing gives it. */
static bool find_input(const struct clue_laws *laws, struct burst_law *law, const char *parameter)
{
    static const char kinds[] = {[LAW_INT] = 'a', [LAW_LONG] = 'l', [LAW_AT] = 'p'};
    struct law_input *in = &law->inputs[law->n_inputs++];
    bool is_call = !strchr(law->name, ':') && strcmp(law->name, "*") != 0;

    for (size_t i = 0; i < laws->n_values; i++)
        if (strcmp(laws->values[i].name, parameter) == 0) {
            *in = (struct law_input){.kind = LAW_NUMBER, .number = laws->values[i].value};
            return true;
        }
    for (int k = 0; k < ARGUMENT_KINDS && is_call; k++)
        if (parameter[0] == kinds[k] && parameter[1] >= '1' && parameter[1] <= '6' &&
            !parameter[2]) {
            *in =
                (struct law_input){.kind = (enum law_input_kind)k, .argument = parameter[1] - '1'};
            law->argument = parameter;
            return true;
        }
    in->kind = strcmp(parameter, "rank") == 0 ? LAW_RANK : LAW_RANKS;
    return in->kind == LAW_RANK || strcmp(parameter, "ranks") == 0;
}

static void judge_input(const struct clue_laws *laws, struct burst_law *law, const char *parameter,
                        const char *file, struct portolan_diagnostics *d)
{
    const char *names[MOST_LAWS + 2] = {"rank", "ranks"};

    if (find_input(laws, law, parameter))
        return;
    for (size_t i = 0; i < laws->n_values; i++)
        names[i + 2] = laws->values[i].name;
    portolan_diagnose(
        d, file, 1, 0,
        "the law of '%s' needs '%s': a law may use rank, ranks, what --set %s=VALUE gives, and, "
        "of a library's function, the arguments a1 to a6, l1 to l6, p1 to p6%s",
        law->name, parameter, parameter,
        portolan_did_you_mean(portolan_nearest_word(parameter, names, laws->n_values + 2)).text);
}

static enum portolan_status judge_unit(struct burst_law *law, struct portolan_diagnostics *d)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
    const struct portolan_model_envelope *e = portolan_model_peek_envelope(law->model);

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (e->unit && strcmp(e->unit, units[i].name) == 0 &&
            (!e->quality || strcmp(e->quality, "time") == 0))
            law->unit_ns = units[i].ns;
    if (!law->unit_ns)
        portolan_diagnose(d, law->source, 1, 0,
                          "a model of quality '%s' in '%s' is not a law of computing; its quality "
                          "must be time, with unit s, ms, us or ns",
                          e->quality ? e->quality : "time", e->unit ? e->unit : "no unit");
    return law->unit_ns ? PORTOLAN_OK : PORTOLAN_ESYNTAX;
}

static enum portolan_status read_model(struct burst_law *law, struct portolan_diagnostics *d,
                                       struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    const char *text;
    size_t size;
    enum portolan_status status = portolan_file_read(&arena, law->source, &text, &size, err);

    if (status)
        portolan_diagnose(d, "--law", 1, 0, "%s", err->text);
    else
        status = portolan_model_read_xml(text, size, law->source, d, &law->model, err);
    portolan_arena_clear(&arena);
    return status ? status : judge_unit(law, d);
}

static enum portolan_status read_law(const struct clue_laws *laws, struct burst_law *law,
                                     struct portolan_diagnostics *d, struct portolan_error *err)
{
    size_t length = strlen(law->source), n;
    bool is_file = length > 4 && strcmp(law->source + length - 4, ".xml") == 0;
    enum portolan_status status;

    law->unit_ns = is_file ? 0 : 1e9;
    status = is_file ? read_model(law, d, err)
                     : portolan_formula_parse(law->source, length, "--law", 1,
                                              (int)strlen(law->name) + 2, d, &law->formula, err);
    if (status)
        return status;
    n = is_file ? portolan_model_n_params(law->model) : portolan_formula_n_names(law->formula);
    for (size_t i = 0; i < n; i++)
        judge_input(laws, law,
                    is_file ? portolan_model_peek_param(law->model, i)
                            : portolan_formula_peek_name(law->formula, i),
                    is_file ? law->source : "--law", d);
    return PORTOLAN_OK;
}

enum portolan_status clue_laws_read(struct clue_laws *laws, struct portolan_diagnostics *d,
                                    struct portolan_error *err)
{
    int before = d->count;
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < laws->n; i++) {
        struct portolan_error own = {0};

        if (read_law(laws, &laws->laws[i], d, &own)) {
            status = own.status;
            *err = own;
        }
    }
    return status ? status : d->count > before ? PORTOLAN_ESYNTAX : PORTOLAN_OK;
}

size_t clue_laws_facts(const struct clue_laws *laws, struct portolan_name_value *facts)
{
    size_t n = 0;

    for (size_t i = 0; i < laws->n; i++)
        facts[n++] = (struct portolan_name_value){laws->laws[i].fact, laws->laws[i].source};
    for (size_t i = 0; i < laws->n_values; i++)
        facts[n++] = (struct portolan_name_value){laws->values[i].fact, laws->values[i].text};
    if (laws->skips)
        facts[n++] = (struct portolan_name_value){"results", "void: functions were skipped"};
    return n;
}

void clue_laws_clear(struct clue_laws *laws)
{
    for (size_t i = 0; i < laws->n; i++) {
        portolan_model_destroy(laws->laws[i].model);
        portolan_formula_destroy(laws->laws[i].formula);
        free(laws->laws[i].fact);
    }
    for (size_t i = 0; i < laws->n_values; i++)
        free(laws->values[i].fact);
}
