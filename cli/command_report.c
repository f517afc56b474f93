/* SPDX-License-Identifier: BSD-3-Clause */
/* A study as a page, as JSON, or as lines: predicted compared with measured. */
#include "report_words.h"

#include <portolan/explain.h>
#include <portolan/trial_store.h>
#include <portolan/tune.h>
#include <portolan/wrap.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct report_options {
    struct report_request of;
    const char *html, *d3;
    bool json;
};

/* Before the table's own check, which knows of no store; and a forgotten FILE takes its place. */
static error_t check_file(void *to, char *arg, const struct cli_option *option,
                          struct argp_state *state)
{
    const struct report_options *o = to;

    (void)arg, (void)option;
    if (o->html && !o->of.study.assembly.file && trial_store_is_one(o->html))
        argp_error(state, "--html needs the name of the page, too: --html page.html %s", o->html);
    if (!o->of.study.assembly.file)
        argp_error(state, "what shall be reported? name a store or an assembly's XML file");
    return 0;
}

static const struct cli_option report_table[] = {
    {"html", 'o', "FILE", "write a page that shows the whole study; it needs no network",
     INTO(struct report_options, html)},
    {.key = CLI_END, .take = check_file},
    {"json", 0, NULL, "print the page's data as JSON", INTO(struct report_options, json)},
    {"d3", 0, "FILE", "the D3 script, if it is not where Debian's node-d3 installs it",
     INTO(struct report_options, d3)},
    TABLE_OF(report_request_table, struct report_options, of),
    {0},
};

/* The columns of a terminal that shows blocks; 0: standard output is none. */
static int bar_columns(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL, *terminal = getenv("TERM");
    struct winsize window = {0};

    for (size_t i = 0; i < 3 && !(locale && *locale); i++)
        locale = getenv(names[i]);
    if (!isatty(STDOUT_FILENO) || !terminal || !strcmp(terminal, "dumb") || !locale ||
        !(strcasestr(locale, "utf-8") || strcasestr(locale, "utf8")))
        return 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || !window.ws_col)
        window.ws_col = 80;
    return window.ws_col < 100 ? window.ws_col : 100;
}

/* Adds the decisions of the newest trial, if it decided itself. */
static enum portolan_status add_decisions(struct portolan_store *store,
                                          const struct portolan_trial *newest,
                                          struct portolan_text *out, struct portolan_error *err)
{
    struct portolan_reason_set *set = NULL;
    enum portolan_status status = portolan_store_read_reasons(store, newest->id, &set, err);

    if (status == PORTOLAN_OK && set->n_reasons) {
        portolan_text_add(out, "\nchosen: %s\n", set->reasons[set->n_reasons - 1].choice);
        portolan_explain_run(&(struct portolan_explained){newest, set, out});
    }
    portolan_reason_set_destroy(set);
    return status;
}

static enum portolan_status compare_trials(struct portolan_store *store,
                                           struct portolan_assembly *a, struct portolan_text *out,
                                           struct portolan_error *err)
{
    struct portolan_store_query query = {.assembly = a->name};
    struct portolan_sample_set *data = NULL;
    struct portolan_spent spent;
    enum portolan_status status = portolan_store_read(store, &query, true, &data, err);
    char *table = NULL;

    if (status == PORTOLAN_OK && a->program)
        status = tune_explain(a, data, out, err);
    else if (status == PORTOLAN_OK)
        status = portolan_wrap_compare(data, &table, err);
    if (status == PORTOLAN_OK && data->n_trials && table) {
        const struct portolan_trial *newest = &data->trials[data->n_trials - 1];

        portolan_text_add(out, "%s", table);
        portolan_profile_add_cost(newest, out);
        portolan_text_add(out, "\n");
        if (portolan_trial_read_spent(newest, &spent)) {
            portolan_text_add(out, "trial %lld: ", (long long)newest->id);
            portolan_spent_add(&spent, out);
            portolan_text_add(out, "\n");
        }
        status = add_decisions(store, newest, out, err);
        if (status == PORTOLAN_OK && bar_columns())
            status = portolan_report_add_bars(store, newest->id, bar_columns(), out, err);
    }
    free(table);
    portolan_sample_set_destroy(data);
    return status;
}

/* Reports on a program without an assembly file: compares its options, libraries or candidates. */
static int report_store(struct assembly_options o)
{
    struct portolan_store *store = NULL;
    struct portolan_text out = {0};
    struct portolan_error err = {0};
    struct workbench w;
    char *text = NULL;

    if (workbench_open_store(&w, &o, &err) != PORTOLAN_OK)
        return print_error(&err);
    if (portolan_store_open(o.file, PORTOLAN_STORE_READ, &store, &err) == PORTOLAN_OK &&
        compare_trials(store, w.assembly, &out, &err) == PORTOLAN_OK)
        portolan_text_take(&out, &text, &err);
    portolan_text_clear(&out);
    portolan_store_close(store);
    workbench_close(&w);
    return print_made(text, &err);
}

static int report_lines(const struct report_request *of)
{
    struct portolan_error err = {0};
    struct portolan_text out = {0};
    struct report_source s;
    char *text = NULL;

    if (portolan_store_is_one(of->study.assembly.file))
        return report_store(of->study.assembly);
    if (report_source_open(&s, of, false, &err) == PORTOLAN_OK)
        s.source.columns = bar_columns();
    if (err.status == PORTOLAN_OK &&
        portolan_report_write_text(&s.source, &out, &err) == PORTOLAN_OK)
        portolan_text_take(&out, &text, &err);
    portolan_text_clear(&out);
    report_source_close(&s);
    return print_made(text, &err);
}

static int write_page(const struct report_options *o, const char *document)
{
    const struct portolan_report_page page = {.d3 = o->d3};
    struct portolan_error err = {0};
    struct portolan_text out = {0};

    if (portolan_report_write_page(document, &page, &out, &err) == PORTOLAN_OK)
        portolan_replace_file(o->html, out.bytes, out.length, &err);
    portolan_text_clear(&out);
    return err.status ? print_error(&err) : 0;
}

int command_report(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "ASSEMBLY.xml|STORE [TRIALS [TRIALS]]",
        .doc = "Compare the newest run with its prediction and with each fixed assembly, or, for "
               "the store of a wrapped program or of one that chooses among candidates, these "
               "with each other. With --html or "
               "--json, show the whole study; with two sets of trials, also compare them.",
        .options = report_table,
    };
    struct report_options o = {.of.means = &study_means};
    struct portolan_error err = {0};
    struct portolan_text document = {0};
    int result = 0;

    parse_line(&line, argc, argv, 0, &o);
    if (!o.html && !o.json)
        result = report_lines(&o.of);
    else if (report_document(&o.of, &document, &err) != PORTOLAN_OK)
        result = print_error(&err);
    if (!result && o.json)
        result = write_text(NULL, document.bytes);
    if (!result && o.html)
        result = write_page(&o, document.bytes);
    portolan_text_clear(&document);
    report_request_clear(&o.of);
    return result;
}
