/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Serves the report's page while a run is going on. The store is all that is known of the run: it
 * is looked at from time to time, by a connection of its own. A look takes a hundredth of the time
 * at most, so that a run with which it shares cores loses less than that.
 */
#include "report_words.h"

#include <portolan/follow.h>
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
    {"interval", 0, "SECONDS", "the least time between two readings of the store (default: 0.25)",
     INTO(struct watch_options, interval_s), .least = 0.01, .most = 3600, .wanted = "seconds"},
    {"d3", 0, "FILE", "the D3 script, if it is not where Debian's node-d3 installs it",
     INTO(struct watch_options, d3)},
    TABLE_OF(report_request_table, struct watch_options, of),
    {0},
};

/* Each look may take one part of so many of a processor's time. */
static const double share = 100;

/* Not the time that passed: while a run keeps all processors busy, a look mostly waits for one,
 * which costs the run nothing. */
static double used_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct watching {
    const struct watch_options *o;
    char *file; /* the store's */
    struct page_server *server;
    struct portolan_follower run;
    double due_s; /* when the page may be made again */
};

/* -------------------------------------------------------------------------------- the page */

/* A run that is going on is shown alone; or else what a report shows. */
static enum portolan_status make_document(const struct watching *w, struct portolan_text *out,
                                          struct portolan_error *err)
{
    struct report_request r = w->o->of;
    char number[24];

    snprintf(number, sizeof number, "%" PRId64, w->run.trial);
    if (w->run.is_running && !r.n_sets) {
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
    double begin_s = used_s();
    char *text;

    if (make_document(w, &document, &err) == PORTOLAN_OK &&
        portolan_report_write_page(document.bytes, &how, &page, &err) == PORTOLAN_OK &&
        portolan_text_take(&page, &text, &err) == PORTOLAN_OK) {
        page_server_put(w->server, text);
        page_server_send(w->server, "page", "{}");
        w->run.is_stale = w->run.has_turned = false;
    }
    portolan_text_clear(&document);
    portolan_text_clear(&page);
    w->due_s = portolan_now_s() + share * (used_s() - begin_s);
}

/*
 * Returns whether a new page is needed: not while nothing watches, unless a trial began or ended.
 */
static bool needs_page(const struct watching *w)
{
    return w->run.is_stale && (w->run.has_turned ||
                               (portolan_now_s() >= w->due_s && page_server_is_watched(w->server)));
}

static void send_event(void *arg, const char *event, const char *json)
{
    const struct watching *w = arg;

    page_server_send(w->server, event, json);
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
        begin_s = used_s();
        portolan_follow(&w->run, w->file);
        pause_s = fmin(most_s, share * (used_s() - begin_s));
        if (needs_page(w))
            make_page(w);
        if (portolan_now_s() - touched_s > touch_s) {
            page_server_touch(w->server);
            touched_s = portolan_now_s();
        }
    } while (!has_to_end(ends, fmax(w->o->interval_s, pause_s)));
    portolan_follow(&w->run, w->file);
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
    struct watch_options o = {.of.means = &study_means, .interval_s = 0.25};
    struct watching w = {
        .o = &o,
        .run = {.send = send_event, .arg = &w, .has_turned = true, PORTOLAN_FOLLOWER_BEGINS}};
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
