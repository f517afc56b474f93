/* SPDX-License-Identifier: BSD-3-Clause */
/* A study as a page, as JSON, or as lines: predicted compared with measured. */
#include "report_words.h"

#include <portolan/terminal.h>
#include <portolan/trial_store.h>

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

/* A program without an assembly file has only its store. */
static int report_lines(struct report_request *of)
{
    struct portolan_error err = {0};
    struct portolan_text out = {0};
    struct report_source s = {0};
    char *text = NULL;
    int columns = terminal_bar_columns();
    enum portolan_status status;

    if (portolan_store_is_one(of->study.assembly.file)) {
        status = report_store_text(&of->study.assembly, columns, &out, &err);
    } else if (!(status = report_source_open(&s, of, false, &err))) {
        s.source.columns = columns;
        status = portolan_report_write_text(&s.source, &out, &err);
    }
    if (!status)
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
