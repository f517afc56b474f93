/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happens in a store while a run writes it, as events of JSON. The store is all that is known
 * of the run.
 */
#include <portolan/follow.h>
#include <portolan/json.h>
#include <portolan/store.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Ends the object and sends it. */
static void send_event(struct portolan_follower *f, const char *event, struct portolan_json *j)
{
    portolan_json_close(j, '}');
    if (!j->out->failed)
        f->send(f->arg, event, j->out->bytes);
    portolan_text_clear(j->out);
}

static struct portolan_json begin_event(struct portolan_text *out, int64_t trial)
{
    struct portolan_json j = {.out = out, .is_compact = true};

    portolan_json_open(&j, NULL, '{');
    portolan_json_number(&j, "trial", (double)trial);
    return j;
}

static void send_trial(struct portolan_follower *f, const struct portolan_trial *t)
{
    struct portolan_text out = {0};
    struct portolan_json j = begin_event(&out, t->id);

    portolan_json_text(&j, "assembly", t->assembly);
    portolan_json_text(&j, "purpose", t->purpose);
    portolan_json_text(&j, "outcome", t->outcome);
    send_event(f, "trial", &j);
}

static void send_step(struct portolan_follower *f, int step, double ns)
{
    struct portolan_text out = {0};
    struct portolan_json j = begin_event(&out, f->trial);

    portolan_json_number(&j, "step", step);
    portolan_json_number(&j, "ns", ns);
    send_event(f, "step", &j);
    f->step = step;
    f->is_stale = true;
}

enum portolan_status portolan_visit_steps(struct portolan_store *store, int64_t trial, int first,
                                          int last, portolan_step_fn visit, void *arg, size_t *n,
                                          struct portolan_error *err)
{
    const int rank = 0;
    const struct portolan_store_query query = {.trial = trial,
                                               .with_partial = true,
                                               .rank = &rank,
                                               .first_step = &first,
                                               .last_step = &last};
    struct portolan_sample_set *set;
    enum portolan_status status = portolan_store_read(store, &query, true, &set, err);

    *n = 0;
    for (size_t i = 0, end; !status && i < set->n_samples; i = end) {
        double ns = 0;

        for (end = i; end < set->n_samples && set->samples[end].step == set->samples[i].step; end++)
            if (set->samples[end].parent < 0)
                ns += set->samples[end].inclusive_ns;
        if (set->samples[i].step >= 0)
            visit(arg, set->samples[i].step, ns, &set->samples[i], end - i);
        *n += end - i;
    }
    if (!status)
        portolan_sample_set_destroy(set);
    return status;
}

static void take_step(void *arg, int step, double ns, const struct portolan_sample *samples,
                      size_t n)
{
    (void)samples, (void)n;
    send_step(arg, step, ns);
}

static void send_swap(struct portolan_follower *f, const struct portolan_reason *r)
{
    struct portolan_text out = {0};
    struct portolan_json j = begin_event(&out, f->trial);

    portolan_json_number(&j, "number", r->number);
    portolan_json_number(&j, "step", r->step);
    portolan_json_text(&j, "change", r->change);
    portolan_json_text(&j, "asked_by", r->asked_by);
    portolan_json_text(&j, "outcome", r->outcome);
    portolan_json_text(&j, "text", r->text);
    send_event(f, "swap", &j);
    f->is_stale = true;
}

/* Changes that were carried out, refused or taken back; the last one may still be under way. */
static enum portolan_status look_at_swaps(struct portolan_follower *f, struct portolan_store *store,
                                          struct portolan_error *err)
{
    struct portolan_reason_set *set;
    enum portolan_status status = portolan_store_read_reasons(store, f->trial, &set, err);

    for (size_t i = 0; !status && i < set->n_reasons; i++) {
        const struct portolan_reason *r = &set->reasons[i];

        if (r->number <= f->decision)
            continue;
        if (i + 1 == set->n_reasons && !strcmp(r->outcome, "asked"))
            break;
        f->decision = r->number;
        if (*r->change)
            send_swap(f, r);
    }
    if (!status)
        portolan_reason_set_destroy(set);
    return status;
}

static enum portolan_status look_inside(struct portolan_follower *f, struct portolan_store *store,
                                        struct portolan_error *err)
{
    size_t n;
    enum portolan_status status =
        portolan_visit_steps(store, f->trial, f->step + 1, INT_MAX, take_step, f, &n, err);

    return status ? status : look_at_swaps(f, store, err);
}

static bool is_new(const struct portolan_follower *f, const struct portolan_trial *t)
{
    return t->id != f->trial || strcmp(t->started, f->started) != 0;
}

/* A trial began, or the newest one ended. */
static void take_trial(struct portolan_follower *f, const struct portolan_trial *t)
{
    bool is_running = !strcmp(t->outcome, "running");

    if (is_new(f, t)) {
        f->step = -1;
        f->decision = 0;
    } else if (is_running == f->is_running) {
        return;
    }
    f->trial = t->id;
    snprintf(f->started, sizeof f->started, "%s", t->started);
    f->is_running = is_running;
    f->is_stale = true;
    f->has_turned = true;
    send_trial(f, t);
}

static enum portolan_status read_store(struct portolan_follower *f, struct portolan_store *store,
                                       struct portolan_error *err)
{
    const struct portolan_store_query newest = {.newest_only = true};
    struct portolan_sample_set *set;
    enum portolan_status status = portolan_store_read(store, &newest, false, &set, err);

    if (status)
        return status;
    if (f->is_running) /* it may have ended: its last steps are news, too */
        status = look_inside(f, store, err);
    if (!status && set->n_trials) {
        const struct portolan_trial *t = &set->trials[set->n_trials - 1];
        bool is_old = !f->has_looked && strcmp(t->outcome, "running") != 0;
        bool is_unknown = is_new(f, t);

        take_trial(f, t);
        if (is_unknown && !is_old)
            status = look_inside(f, store, err);
    }
    portolan_sample_set_destroy(set);
    return status;
}

/* The store is opened each time: it may be another file by now, or one of a newer schema. */
void portolan_follow(struct portolan_follower *f, const char *path)
{
    struct portolan_store *store;
    struct portolan_error err = {0};

    if (!portolan_store_open(path, PORTOLAN_STORE_READ, &store, &err)) {
        portolan_store_set_patience(store, 100);
        read_store(f, store, &err);
        portolan_store_close(store);
    }
    f->has_looked = true;
}
