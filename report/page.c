/* SPDX-License-Identifier: BSD-3-Clause */
/* The page: template, style, scripts and D3 around the document, and the document itself. */
#include "internal.h"

#include "page_files.h"

#include <stdlib.h>
#include <string.h>

static const char d3_of_debian[] = "/usr/share/nodejs/d3/dist/d3.min.js";
enum { MOST_D3_BYTES = 4 << 20 };

static enum portolan_status read_document(const char *text, json_t **document,
                                          struct portolan_error *err)
{
    json_error_t why = {0};

    *document = json_loads(text, 0, &why);
    if (*document && !strcmp(report_text(*document, "portolan"), "report"))
        return PORTOLAN_OK;
    json_decref(*document);
    *document = NULL;
    return portolan_error_set(err, PORTOLAN_EINVAL, "this is no document of `portolan report`%s%s",
                              *why.text ? ": " : "", why.text);
}

/* Within a <script>, "<" can only be in a text, where JSON has another form for it. */
static void add_data(const char *text, struct portolan_text *out)
{
    portolan_text_add(out, "<script type=\"application/json\" id=\"document\">");
    for (size_t n; *text; text += n + (text[n] == '<')) {
        n = strcspn(text, "<");
        portolan_text_add_bytes(out, text, n);
        if (text[n])
            portolan_text_add(out, "\\u003c");
    }
    portolan_text_add(out, "</script>\n");
}

static void add_part(const struct report_part *p, const json_t *data, struct portolan_text *out)
{
    size_t begun, spoken;
    bool drawn;

    if (!json_object_size(data))
        return;
    portolan_text_add(out,
                      "<section id=\"%s\" aria-labelledby=\"%s-title\" tabindex=\"-1\">"
                      "<h2 id=\"%s-title\">%s</h2>\n",
                      p->name, p->name, p->name, p->title);
    if (*p->about)
        portolan_text_add(out, "<p class=\"about\">%s</p>\n", p->about);
    spoken = out->length;
    report_add_sentences(data, out);
    spoken = out->length - spoken;
    portolan_text_add(out, "<div class=\"pictures\">");
    begun = out->length;
    if (p->draw)
        p->draw(data, out);
    portolan_text_add(out, "</div>\n");
    drawn = out->length > begun + strlen("</div>\n");
    begun = out->length;
    report_add_tables(p, data, out);
    if (!drawn && !spoken && out->length == begun)
        portolan_text_add(out, "<p class=\"note\">Nothing of this is stored.</p>\n");
    portolan_text_add(out, "</section>\n");
}

static void add_parts(const json_t *document, const char *text, struct portolan_text *out)
{
    for (size_t i = 0; report_parts[i]; i++)
        add_part(report_parts[i], json_object_get(document, report_parts[i]->name), out);
    add_data(text, out);
}

static void add_links(const json_t *document, struct portolan_text *out)
{
    for (size_t i = 0; report_parts[i]; i++)
        if (json_object_size(json_object_get(document, report_parts[i]->name)))
            portolan_text_add(out, "<li><a href=\"#%s\">%s</a></li>\n", report_parts[i]->name,
                              report_parts[i]->title);
}

struct page {
    const struct portolan_report_page *from;
    const json_t *document;
    const char *text;
    char nonce[33];          /* it was not known when the things on the page got their names */
    struct portolan_text d3; /* empty: it was not found */
};

static void add_script(const struct page *p, const char *script, struct portolan_text *out)
{
    portolan_text_add(out, "<script nonce=\"%s\">\n", p->nonce);
    portolan_text_add_bytes(out, script, strlen(script));
    portolan_text_add(out, "</script>\n");
}

static void add_d3(const struct page *p, struct portolan_text *out)
{
    if (!p->d3.length)
        return;
    portolan_text_add(out, "<!--\n%s-->\n", report_file_d3_licence);
    add_script(p, p->d3.bytes, out);
}

static void add_missing(const struct page *p, struct portolan_text *out)
{
    if (!p->d3.length)
        portolan_text_add(out,
                          "<p class=\"note\" role=\"status\">Interactive pictures are missing: D3 "
                          "was not found when the page was written (Debian: node-d3).</p>\n");
}

static void add_name(const struct page *p, struct portolan_text *out)
{
    report_add_cut(out, report_text(p->document, "name"), 200);
}

static void add_store(const struct page *p, struct portolan_text *out)
{
    double trial = report_number(p->document, "shown_trial");

    portolan_text_add(out, trial > 0 ? "trial %.0f of " : "no trial in ", trial);
    report_add_cut(out, report_text(p->document, "store"), 200);
    portolan_text_add(out, ", Portolan ");
    report_add_cut(out, report_text(p->document, "made_by"), 40);
}

static void add_policy(const struct page *p, struct portolan_text *out)
{
    portolan_text_add(out,
                      "default-src 'none'; script-src 'nonce-%s'; style-src 'nonce-%s'; "
                      "img-src data:; base-uri 'none'; form-action 'none'",
                      p->nonce, p->nonce);
    if (p->from->follows)
        portolan_text_add(out, "; connect-src 'self'");
}

static void add_scripts(const struct page *p, struct portolan_text *out)
{
    if (p->d3.length)
        add_script(p, report_file_scripts, out);
    if (p->from->follows)
        add_script(p, report_file_watch, out);
}

static void add_style(const struct page *p, struct portolan_text *out)
{
    portolan_text_add(out, "<style nonce=\"%s\">\n%s</style>\n", p->nonce, report_file_style);
}

static void add_links_of(const struct page *p, struct portolan_text *out)
{
    add_links(p->document, out);
}

static void add_main(const struct page *p, struct portolan_text *out)
{
    add_parts(p->document, p->text, out);
}

/* The texts that replace {{…}} in the template. */
static const struct {
    const char *word;
    void (*add)(const struct page *p, struct portolan_text *out);
} marks[] = {{"policy", add_policy}, {"style", add_style},     {"name", add_name},
             {"store", add_store},   {"links", add_links_of},  {"missing", add_missing},
             {"main", add_main},     {"scripts", add_scripts}, {"d3", add_d3}};

static void fill_template(const struct page *p, struct portolan_text *out)
{
    const char *at = report_file_template, *mark;

    for (; (mark = strstr(at, "{{")); at = strstr(mark, "}}") + 2) {
        size_t n = strcspn(mark + 2, "}");

        portolan_text_add_bytes(out, at, (size_t)(mark - at));
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
            if (strlen(marks[i].word) == n && !strncmp(marks[i].word, mark + 2, n))
                marks[i].add(p, out);
    }
    portolan_text_add(out, "%s", at);
}

enum portolan_status portolan_report_write_page(const char *document,
                                                const struct portolan_report_page *from,
                                                struct portolan_text *out,
                                                struct portolan_error *err)
{
    struct page p = {.from = from, .text = document};
    json_t *read = NULL;
    enum portolan_status status = read_document(document, &read, err);

    if (!status)
        status = portolan_random_digits(p.nonce, err);
    if (status) {
        json_decref(read);
        return status;
    }
    p.document = read;
    if (!portolan_text_add_file(&p.d3, from->d3 ? from->d3 : d3_of_debian, MOST_D3_BYTES) ||
        strstr(p.d3.bytes ? p.d3.bytes : "", "</script"))
        portolan_text_clear(&p.d3);
    fill_template(&p, out);
    portolan_text_clear(&p.d3);
    json_decref(read);
    return out->failed ? portolan_no_memory(err) : PORTOLAN_OK;
}
