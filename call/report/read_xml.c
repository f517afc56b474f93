/* SPDX-License-Identifier: BSD-3-Clause */
/* The XML form, read by libxml2: nothing is loaded from elsewhere, and no entity grows. */
#include "internal.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int line_of(const xmlNode *node)
{
    long line = xmlGetLineNo(node);

    return line > 0 && line < INT_MAX ? (int)line : 0;
}

static bool is_called(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && !strcmp((const char *)node->name, name);
}

static const xmlNode *child_called(const xmlNode *node, const char *name)
{
    for (const xmlNode *child = node->children; child; child = child->next)
        if (is_called(child, name))
            return child;
    return NULL;
}

/* ------------------------------------------------------------------ tables */

/* The texts of NODE's children called NAME, without the space around them. */
static bool read_texts(struct report_reader *r, const xmlNode *node, const char *name,
                       char ***words, size_t *n)
{
    bool good = true;

    for (const xmlNode *child = node->children; child && good; child = child->next) {
        xmlChar *content;
        const char *text;
        size_t length;

        if (!is_called(child, name))
            continue;
        content = xmlNodeGetContent(child);
        if (!content)
            return report_no_memory(r);
        text = (const char *)content + strspn((const char *)content, " \t\r\n");
        length = strlen(text);
        while (length > 0 && strchr(" \t\r\n", text[length - 1]))
            length--;
        good = report_add_word(r, line_of(child), words, n, text, length);
        xmlFree(content);
    }
    return good;
}

static bool read_cells(struct report_reader *r, const xmlNode *node, struct portolan_cll_sample *s,
                       char *const *words, size_t n)
{
    size_t columns = portolan_cll_sample_columns(s);
    double *row;

    if (n != columns)
        return report_complain(r, line_of(node),
                               "a row of '%s' has %zu numbers; it has %zu columns", s->name, n,
                               columns);
    row = portolan_cll_sample_add_rows(s, 1);
    if (!row)
        return report_no_memory(r);
    for (size_t i = 0; i < n; i++)
        if (!report_read_number(words[i], &row[i]))
            return report_complain(r, line_of(node), "'%s' is no number", words[i]);
    return report_row_is_process(row) ||
           report_complain(r, line_of(node),
                           "a row of '%s' is of process %s of %s; processes are "
                           "numbered from 0",
                           s->name, words[0], words[1]);
}

static bool read_rows(struct report_reader *r, const xmlNode *sample, struct portolan_cll_sample *s)
{
    bool good = true;

    for (const xmlNode *row = sample->children; row && good; row = row->next) {
        char **words = NULL;
        size_t n = 0;

        if (!is_called(row, "row"))
            continue;
        good = read_texts(r, row, "c", &words, &n) && read_cells(r, row, s, words, n);
        report_free_words(words, n);
    }
    return good;
}

static bool read_table(struct report_reader *r, const xmlNode *node, struct portolan_cll_sample *s)
{
    const xmlNode *headers = child_called(node, "headers"), *sample = child_called(node, "sample");
    char **columns = NULL;
    size_t n = 0;
    bool good;

    if (!headers || !sample)
        return report_complain(r, line_of(node), "cll_experiment has no <%s>",
                               headers ? "sample" : "headers");
    good = read_texts(r, headers, "h", &columns, &n) &&
           report_check_columns(r, line_of(headers), s, columns, n) && read_rows(r, sample, s);
    report_free_words(columns, n);
    return good;
}

/* ------------------------------------------------------------------ the document */

static bool read_experiment(struct report_reader *r, const xmlNode *node)
{
    struct portolan_cll_sample s = {0};
    bool good = true;

    for (const xmlAttr *a = node->properties; a && good; a = a->next) {
        xmlChar *value = xmlNodeGetContent((const xmlNode *)a);

        good = value ? report_set(r, line_of(node), &s, (const char *)a->name, (const char *)value)
                     : report_no_memory(r);
        xmlFree(value);
    }
    good = good && read_table(r, node, &s) && report_take_sample(r, &s);
    report_sample_clear(&s);
    return good;
}

static bool add_header(struct report_reader *r, int line, const char *name, xmlChar *value)
{
    bool good =
        value ? report_take_header(r, line, name, (const char *)value) : report_no_memory(r);

    xmlFree(value);
    return good;
}

static bool read_header(struct report_reader *r, const xmlNode *node)
{
    xmlChar *name = xmlGetProp(node, BAD_CAST "name");
    bool good = name ? add_header(r, line_of(node), (const char *)name, xmlNodeGetContent(node))
                     : report_complain(r, line_of(node), "<header> has no attribute name");

    xmlFree(name);
    return good;
}

static bool read_root(struct report_reader *r, const xmlNode *root)
{
    bool good = true;

    if (!root || !is_called(root, "cll_data"))
        return report_complain(r, root ? line_of(root) : 0,
                               "the root is no <cll_data>, as in reports of CALL's run time");
    for (const xmlAttr *a = root->properties; a && good; a = a->next)
        good = add_header(r, line_of(root), (const char *)a->name,
                          xmlNodeGetContent((const xmlNode *)a));
    for (const xmlNode *node = root->children; node && good; node = node->next)
        if (is_called(node, "header"))
            good = read_header(r, node);
        else if (is_called(node, "cll_experiment"))
            good = read_experiment(r, node);
    return good;
}

bool report_read_xml(struct report_reader *r, const char *text, size_t size)
{
    int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_BIG_LINES;
    xmlParserCtxt *context = xmlNewParserCtxt();
    xmlDoc *document = NULL;
    bool good;

    if (!context)
        return report_no_memory(r);
    if (size <= INT_MAX)
        document = xmlCtxtReadMemory(context, text, (int)size, r->file, NULL, options);
    if (document)
        good = read_root(r, xmlDocGetRootElement(document));
    else
        good = report_complain(r, context->lastError.line, "%.*s",
                               (int)strcspn(context->lastError.message ? context->lastError.message
                                                                       : "it is too large for XML",
                                            "\n"),
                               context->lastError.message ? context->lastError.message
                                                          : "it is too large for XML");
    xmlFreeDoc(document);
    xmlFreeParserCtxt(context);
    return good;
}
