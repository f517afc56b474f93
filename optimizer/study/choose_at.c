/* SPDX-License-Identifier: BSD-3-Clause */
/* What is chosen at each of the values that `tune --vary` names, a line each. */
#include <portolan/answer.h>
#include <portolan/list.h>
#include <portolan/study.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OTHERS = 100 }; /* settings that are answered */

static size_t count_values(const char *varied)
{
    size_t n = 1;

    while ((varied = strchr(varied, ','))) {
        varied++;
        n++;
    }
    return n;
}

/* "n=64", with the value of NAME=VALUE,... at *REST, of which its number of values is taken. */
static const char *setting(struct portolan_arena *arena, const char *varied, size_t *rest)
{
    const char *equals = strchr(varied, '='), *value = equals + 1;
    size_t n = count_values(varied);

    for (size_t k = *rest % n; k; k--)
        value = strchr(value, ',') + 1;
    *rest /= n;
    return portolan_arena_printf(arena, "%.*s=%.*s", (int)(equals - varied), varied,
                                 (int)strcspn(value, ","), value);
}

/* Adds in one line what is chosen with the parameters WHERE, which O sets. */
static void add_choice(struct study_options *o, const struct study_means *means, const char *where,
                       struct portolan_text *out)
{
    const struct portolan_plan_answer *a;
    struct portolan_error err = {0};
    struct study s;

    portolan_text_add(out, "at %s: ", where);
    if (!study_open(&s, o, means, true, &err) && !portolan_plan_choose(s.plan, &a, &err)) {
        portolan_text_add(out, "%s", a->assembly);
        for (size_t i = 0; i < a->n_variables; i++)
            portolan_text_add(out, " %s",
                              a->variables[i].options[a->variables[i].chosen].implementation);
        portolan_text_add(out, ", ");
        portolan_answer_add_time(out, a->prediction.total_ns, NAN, NAN);
        portolan_text_add(out, "%s\n",
                          a->verdict == PORTOLAN_ANSWER_CANNOT_TELL ? ", but cannot tell" : "");
    } else {
        portolan_text_add(out, "%s\n", err.text);
    }
    study_close(&s);
}

bool study_choose_at_other(const struct assembly_options *assembly, const char *const *varied,
                           size_t n_varied, size_t k, const struct study_means *means,
                           struct portolan_text *out)
{
    struct study_options o = {.assembly = *assembly};
    struct portolan_arena arena = {0};
    struct portolan_text where = {.arena = &arena};
    size_t n = 1, rest = k;
    bool good = true;

    for (size_t i = 0; i < n_varied; i++)
        n *= count_values(varied[i]);
    if (k + 1 >= n || k >= MOST_OTHERS)
        return false;
    o.assembly.sets = NULL;
    for (size_t i = o.assembly.n_sets = 0; good && i < n_varied; i++) {
        const char *set = setting(&arena, varied[i], &rest);

        good = set && portolan_append(&o.assembly.sets, &o.assembly.n_sets, &set, sizeof set);
        portolan_text_add(&where, "%s%s", i ? " " : "", good ? set : "");
    }
    if (good && !where.failed)
        add_choice(&o, means, where.bytes, out);
    else
        portolan_text_add(out, "out of memory\n"), free(o.assembly.sets);
    portolan_arena_clear(&arena);
    return true;
}
