/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Serves the report's page while a run is going on. The store is all that is known of the run: it
 * is looked at from time to time, by a connection of its own. A look takes a hundredth of the time
 * at most, so that a run with which it shares cores loses less than that.
 */
#include "report_source.h"

#include <portolan/json.h>
#include <portolan/machine.h>
#include <portolan/page_server.h>
#include <portolan/progress.h>

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

struct watch_options {
    struct report_request of;
    const char *address, *d3;
    int port;
    double interval_s;
};

static const struct cli_option watch_table[] = {
    {"listen", 'l', "ADDRESS",
     "also serve other hosts: listen on ADDRESS (0.0.0.0: all addresses of this host); the page's "
     "address then contains a token",
     INTO(struct watch_options, address)},
    {"port", 0, "NUMBER", "the port (default: a free one)", INTO(struct watch_options, port),
     .most = 65535, .wanted = "a port's number"},
    {"interval", 0, "SECONDS", "the least time between two readings of the store (default: 1)",
     INTO(struct watch_options, interval_s), .least = 0.01, .most = 3600, .wanted = "seconds"},
    {"d3", 0, "FILE", "the D3 script, if it is not where Debian's node-d3 installs it",
     INTO(struct watch_options, d3)},
    TABLE_OF(report_request_table, struct watch_options, of),
    {0},
};

/* Each look may take one part of so many of the time. */
static const double share = 100;

struct watching {
    const struct watch_options *o;
    char *file;                   /* the store's */
    struct portolan_store *store; /* while it is looked at */
    struct page_server *server;
    bool has_looked;  /* false: existing trials are not reported */
    int64_t trial;    /* the newest; 0: none … */
    char started[40]; /* … at this time: another store may have the same number */
    bool is_running;
    int step, decision; /* the last ones that were reported */
    bool is_stale;      /* the page */
    double due_s;       /* when it may be made again */
};

/* -------------------------------------------------------------------------------- the page */

/* A run that is going on is shown alone; or else what a report shows. */
static enum portolan_status make_document(const struct watching *w, struct portolan_text *out,
                                          struct portolan_error *err)
{
    struct report_request r = w->o->of;
    char number[24];

    snprintf(number, sizeof number, "%" PRId64, w->trial);
    if (w->is_running && !r.n_sets) {
        r.sets[0] = number;
        r.n_sets = 1;
    }
    return report_document(&r, out, err);
}

/* Before there is anything to show: asks again by itself, without scripts. */
static void put_waiting(struct watching *w)
{
    char *page = portolan_strdup(
        "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Portolan</title>"
        "<link rel=\"icon\" href=\"data:,\"><meta http-equiv=\"refresh\" content=\"2\">"
        "<p>This page comes when something is stored.</p></html>\n");

    if (page)
        page_server_put(w->server, page);
}

/* The page that is there stays if no other can be made: the store may be locked just now. */
static void make_page(struct watching *w)
{
    const struct portolan_report_page how = {.d3 = w->o->d3, .follows = true};
    struct portolan_text document = {0}, page = {0};
    struct portolan_error err = {0};
    double begin_s = portolan_now_s();
    char *text;

    if (make_document(w, &document, &err) == PORTOLAN_OK &&
        portolan_report_write_page(document.bytes, &how, &page, &err) == PORTOLAN_OK &&
        portolan_text_take(&page, &text, &err) == PORTOLAN_OK) {
        page_server_put(w->server, text);
        page_server_send(w->server, "page", "{}");
        w->is_stale = false;
    }
    portolan_text_clear(&document);
    portolan_text_clear(&page);
    w->due_s = portolan_now_s() + share * (portolan_now_s() - begin_s);
}

/* -------------------------------------------------------------------------------- events */

/* Ends the object and sends it. */
static void send_event(struct watching *w, const char *event, struct portolan_json *j)
{
    portolan_json_close(j, '}');
    if (!j->out->failed)
        page_server_send(w->server, event, j->out->bytes);
    portolan_text_clear(j->out);
}

static struct portolan_json begin_event(struct portolan_text *out, int64_t trial)
{
    struct portolan_json j = {.out = out, .is_compact = true};

    portolan_json_open(&j, NULL, '{');
    portolan_json_number(&j, "trial", (double)trial);
    return j;
}

static void send_trial(struct watching *w, const struct portolan_trial *t)
{
    struct portolan_text out = {0};
    struct portolan_json j = begin_event(&out, t->id);

    portolan_json_text(&j, "assembly", t->assembly);
    portolan_json_text(&j, "purpose", t->purpose);
    portolan_json_text(&j, "outcome", t->outcome);
    send_event(w, "trial", &j);
}

static void send_step(struct watching *w, int step, double ns)
{
    struct portolan_text out = {0};
    struct portolan_json j = begin_event(&out, w->trial);

    portolan_json_number(&j, "step", step);
    portolan_json_number(&j, "ns", ns);
    send_event(w, "step", &j);
    w->step = step;
    w->is_stale = true;
}

/* Steps after the last one, with the time of what rank 0 called there. */
static enum portolan_status look_at_steps(struct watching *w, struct portolan_error *err)
{
    const int rank = 0, first = w->step + 1;
    const struct portolan_store_query query = {
        .trial = w->trial, .with_partial = true, .rank = &rank, .first_step = &first};
    struct portolan_sample_set *set;
    enum portolan_status status = portolan_store_read(w->store, &query, true, &set, err);

    for (size_t i = 0, end; !status && i < set->n_samples; i = end) {
        double ns = 0;

        for (end = i; end < set->n_samples && set->samples[end].step == set->samples[i].step; end++)
            if (set->samples[end].parent < 0)
                ns += set->samples[end].inclusive_ns;
        if (set->samples[i].step >= 0)
            send_step(w, set->samples[i].step, ns);
    }
    if (!status)
        portolan_sample_set_destroy(set);
    return status;
}

static void send_swap(struct watching *w, const struct portolan_reason *r)
{
    struct portolan_text out = {0};
    struct portolan_json j = begin_event(&out, w->trial);

    portolan_json_number(&j, "number", r->number);
    portolan_json_number(&j, "step", r->step);
    portolan_json_text(&j, "change", r->change);
    portolan_json_text(&j, "asked_by", r->asked_by);
    portolan_json_text(&j, "outcome", r->outcome);
    portolan_json_text(&j, "text", r->text);
    send_event(w, "swap", &j);
    w->is_stale = true;
}

/* Changes that were carried out, refused or taken back; the last one may still be under way. */
static enum portolan_status look_at_swaps(struct watching *w, struct portolan_error *err)
{
    struct portolan_reason_set *set;
    enum portolan_status status = portolan_store_read_reasons(w->store, w->trial, &set, err);

    for (size_t i = 0; !status && i < set->n_reasons; i++) {
        const struct portolan_reason *r = &set->reasons[i];

        if (r->number <= w->decision)
            continue;
        if (i + 1 == set->n_reasons && !strcmp(r->outcome, "asked"))
            break;
        w->decision = r->number;
        if (*r->change)
            send_swap(w, r);
    }
    if (!status)
        portolan_reason_set_destroy(set);
    return status;
}

static enum portolan_status look_inside(struct watching *w, struct portolan_error *err)
{
    enum portolan_status status = look_at_steps(w, err);

    return status ? status : look_at_swaps(w, err);
}

static bool is_new(const struct watching *w, const struct portolan_trial *t)
{
    return t->id != w->trial || strcmp(t->started, w->started) != 0;
}

/* A trial began, or the newest one ended. */
static void take_trial(struct watching *w, const struct portolan_trial *t)
{
    bool is_running = !strcmp(t->outcome, "running");

    if (is_new(w, t)) {
        w->step = -1;
        w->decision = 0;
    } else if (is_running == w->is_running) {
        return;
    }
    w->trial = t->id;
    snprintf(w->started, sizeof w->started, "%s", t->started);
    w->is_running = is_running;
    w->is_stale = true;
    w->due_s = 0;
    send_trial(w, t);
}

static enum portolan_status read_store(struct watching *w, struct portolan_error *err)
{
    const struct portolan_store_query newest = {.newest_only = true};
    struct portolan_sample_set *set;
    enum portolan_status status = portolan_store_read(w->store, &newest, false, &set, err);

    if (status)
        return status;
    if (w->is_running) /* it may have ended: its last steps are news, too */
        status = look_inside(w, err);
    if (!status && set->n_trials) {
        const struct portolan_trial *t = &set->trials[set->n_trials - 1];
        bool is_old = !w->has_looked && strcmp(t->outcome, "running") != 0;
        bool is_unknown = is_new(w, t);

        take_trial(w, t);
        if (is_unknown && !is_old)
            status = look_inside(w, err);
    }
    portolan_sample_set_destroy(set);
    return status;
}

/*
 * Looks for new trials and steps. Data that cannot be read now are read the next time, since a run
 * does not wait for readers. The store is opened each time: it may be another file by now, or one
 * of a newer schema.
 */
static void look(struct watching *w)
{
    struct portolan_error err = {0};

    if (portolan_store_open(w->file, PORTOLAN_STORE_READ, &w->store, &err))
        return;
    portolan_store_set_patience(w->store, 100);
    read_store(w, &err);
    portolan_store_close(w->store);
}

/*
 * Returns whether a new page is needed: not while nothing watches, unless a trial began or ended.
 */
static bool needs_page(const struct watching *w)
{
    return w->is_stale && portolan_now_s() >= w->due_s &&
           (w->due_s <= 0 || page_server_is_watched(w->server));
}

/* -------------------------------------------------------------------------------- the command */

/* Ctrl-C and the end of the run come here instead of ending the process. */
static void block_signals(sigset_t *ends)
{
    sigemptyset(ends);
    sigaddset(ends, SIGINT);
    sigaddset(ends, SIGTERM);
    sigaddset(ends, SIGHUP);
    sigprocmask(SIG_BLOCK, ends, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* Waits until the next look; true when it is time to end. */
static bool has_to_end(const sigset_t *ends, double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds};

    time.tv_nsec = (long)(1e9 * (seconds - (double)time.tv_sec));
    return sigtimedwait(ends, NULL, &time) > 0;
}

static void follow(struct watching *w, const sigset_t *ends)
{
    const double touch_s = 15, most_s = 10;
    double touched_s = portolan_now_s(), begin_s, pause_s;

    do {
        begin_s = portolan_now_s();
        look(w);
        w->has_looked = true;
        pause_s = fmin(most_s, share * (portolan_now_s() - begin_s));
        if (needs_page(w))
            make_page(w);
        if (portolan_now_s() - touched_s > touch_s) {
            page_server_touch(w->server);
            touched_s = portolan_now_s();
        }
    } while (!has_to_end(ends, fmax(w->o->interval_s, pause_s)));
    look(w);
    make_page(w);
    page_server_send(w->server, "end", "{}");
}

int command_watch(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "ASSEMBLY.xml|STORE [TRIALS [TRIALS]]",
        .doc = "Serve the page of `portolan report --html` while a run is going on: it follows "
               "what is stored, until Ctrl-C.",
        .options = watch_table,
    };
    struct watch_options o = {.interval_s = 1};
    struct watching w = {.o = &o, .step = -1, .is_stale = true};
    struct portolan_error err = {0};
    enum portolan_status status;
    sigset_t ends;

    parse_line(&line, argc, argv, 0, &o);
    portolan_progress_set_handler(NULL); /* pages are made again and again */
    block_signals(&ends);
    setpriority(PRIO_PROCESS, 0, 10);
    status = report_store_name(&o.of, &w.file, &err);
    if (!status)
        status = page_server_open(o.address, o.port, &w.server, &err);
    if (!status) {
        put_waiting(&w);
        printf("watch: %s\n", page_server_peek_url(w.server));
        fflush(stdout);
        follow(&w, &ends);
    }
    page_server_close(w.server);
    report_request_clear(&o.of);
    free(w.file);
    return status ? print_error(&err) : 0;
}
