/* SPDX-License-Identifier: BSD-3-Clause */
/* In what two trials differ whose times somebody compares. */
#include "internal.h"

#include <string.h>

/* Words between what differs. */
struct unlike {
    struct portolan_text *out;
    bool began;
};

static void add_comma(struct unlike *u, const char *comma)
{
    if (u->began)
        portolan_text_add(u->out, "%s", comma);
    u->began = true;
}

static void add_pair(struct unlike *u, const char *name, const char *value, const char *other)
{
    add_comma(u, ", ");
    portolan_text_add(u->out, "%s %s instead of %s", name, value, other);
}

/* The value of the pair whose name is the first LENGTH characters of NAME. */
static const char *peek(const struct portolan_name_value *pairs, size_t n, const char *name,
                        size_t length)
{
    for (size_t i = 0; i < n; i++)
        if (!strncmp(pairs[i].name, name, length) && !pairs[i].name[length])
            return pairs[i].value;
    return NULL;
}

/* A fact that one of them lacks was not stored with it, or is of a part that only one has. */
static const char *other_fact(const struct portolan_name_value *fact,
                              const struct portolan_trial *of)
{
    const char *value = portolan_trial_peek_fact(of, fact->name);

    return value && strcmp(value, fact->value) != 0 ? value : NULL;
}

static void add_machine(struct unlike *u, const struct portolan_trial *t,
                        const struct portolan_trial *of)
{
    static const char *const names[] = {"host", "processor", "clock", "compiler"};
    const char *machine = portolan_trial_peek_fact(t, PORTOLAN_STORE_VIRTUAL),
               *other = portolan_trial_peek_fact(of, PORTOLAN_STORE_VIRTUAL);

    if (!machine != !other) {
        add_comma(u, ", ");
        portolan_text_add(u->out,
                          machine ? "virtual machine %s instead of a real one"
                                  : "a real machine instead of virtual machine %s",
                          machine ? machine : other);
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct portolan_name_value fact = {names[i], portolan_trial_peek_fact(t, names[i])};

        if (fact.value && other_fact(&fact, of))
            add_pair(u, fact.name, fact.value, other_fact(&fact, of));
    }
}

/* How an object was compiled is long: its name says enough. */
static void add_builds(struct unlike *u, const struct portolan_trial *t,
                       const struct portolan_trial *of)
{
    static const char compiled[] = "compiled ";
    size_t n = 0;

    for (size_t i = 0; i < t->n_metadata; i++) {
        const struct portolan_name_value *fact = &t->metadata[i];

        if (strncmp(fact->name, compiled, sizeof compiled - 1) != 0 || !other_fact(fact, of))
            continue;
        add_comma(u, n ? " and " : ", ");
        portolan_text_add(u->out, "%s%s", n++ ? "" : "another build of ",
                          fact->name + sizeof compiled - 1);
    }
}

/* The class of the instance whose parameter it is. */
static const char *peek_class(const struct portolan_trial *t, const char *parameter)
{
    const char *dot = strrchr(parameter, '.');

    return dot ? peek(t->implementations, t->n_implementations, parameter,
                      (size_t)(dot - parameter))
               : NULL;
}

/* Parameters of Portolan's own components are no size, and another class has its own. */
static bool is_size(const char *now, const char *then)
{
    return !now || !then || (!strcmp(now, then) && strncmp(now, "portolan.", 9) != 0);
}

static void add_sizes(struct unlike *u, const struct portolan_trial *t,
                      const struct portolan_trial *of)
{
    for (size_t i = 0; i < t->n_parameters; i++) {
        const struct portolan_name_value *p = &t->parameters[i];
        const char *other = portolan_peek_value(of->parameters, of->n_parameters, p->name);

        if (other && strcmp(p->value, other) != 0 &&
            is_size(peek_class(t, p->name), peek_class(of, p->name)))
            add_pair(u, p->name, p->value, other);
    }
}

bool portolan_trial_takes_turns(const struct portolan_trial *t)
{
    const char *steps = portolan_trial_peek_fact(t, PORTOLAN_FACT_EXPLORED);

    return portolan_trial_peek_fact(t, PORTOLAN_STORE_IN_TURN) ||
           (steps && strcmp(steps, "0") != 0);
}

bool portolan_trial_add_unlike(const struct portolan_trial *t, const struct portolan_trial *of,
                               bool sizes, struct portolan_text *out)
{
    struct unlike u = {.out = out};
    bool turns = portolan_trial_takes_turns(t), alike;

    if (t->ranks != of->ranks) {
        add_comma(&u, "");
        portolan_text_add(out, "%d rank%s instead of %d", t->ranks, t->ranks == 1 ? "" : "s",
                          of->ranks);
    }
    add_machine(&u, t, of);
    add_builds(&u, t, of);
    if (sizes)
        add_sizes(&u, t, of);
    alike = !u.began;
    if (turns != portolan_trial_takes_turns(of)) {
        add_comma(&u, ", ");
        portolan_text_add(out, turns ? "alternatives in turn instead of one choice"
                                     : "one choice instead of alternatives in turn");
    }
    return alike;
}
