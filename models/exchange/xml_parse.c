/* SPDX-License-Identifier: BSD-3-Clause */
/* XML read with care: bounded, no document types, no network; and where complaints go. */
#include "xml_internal.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>

enum { MOST_PROBLEMS = 20 };

/* ---- complaints ---- */

void reader_no_memory(struct reader *r)
{
    if (!r->status)
        r->status = PORTOLAN_ENOMEM;
}

static void complain(struct reader *r, int line, int column, const char *format, va_list args)
{
    char text[600];

    /* Without memory parts are missing that the text may well have. */
    if (r->status == PORTOLAN_ENOMEM)
        return;
    r->status = PORTOLAN_ESYNTAX;
    if (r->n_problems++ >= MOST_PROBLEMS)
        return;
    vsnprintf(text, sizeof text, format, args);
    portolan_diagnose(r->diagnostics, r->file, line, column, "%s", text);
    portolan_error_set(r->err, PORTOLAN_ESYNTAX, "%s:%d: %s", r->file, line, text);
}

void reader_complain_at(struct reader *r, int line, int column, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    complain(r, line, column, format, args);
    va_end(args);
}

void reader_complain(struct reader *r, const xmlNode *node, const char *format, ...)
{
    long line = node ? xmlGetLineNo(node) : 0;
    int column = node ? (int)(intptr_t)node->_private : 0;
    va_list args;

    va_start(args, format);
    complain(r, line > 0 && line < INT_MAX ? (int)line : 1, column, format, args);
    va_end(args);
}

struct portolan_hint reader_hint(const char *word, const char *const *known, size_t n)
{
    return portolan_did_you_mean(portolan_nearest_word(word, known, n));
}

bool reader_number(const char *text, double *value)
{
    char word[2 * NUMBER_TEXT + 2];
    size_t length;

    text += strspn(text, " \t\r\n");
    length = strspn(text, "+-.0123456789eE");
    if (!length || length >= sizeof word || text[length + strspn(text + length, " \t\r\n")])
        return false;
    memcpy(word, text, length);
    word[length] = '\0';
    return portolan_read_double(word, value);
}

/* ---- elements ---- */

bool reader_is(const xmlNode *node, const char *name)
{
    return node && strcmp((const char *)node->name, name) == 0;
}

static xmlNode *skip(struct reader *r, xmlNode *node)
{
    for (; node && node->type != XML_ELEMENT_NODE; node = node->next)
        if ((node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE) &&
            !xmlIsBlankNode(node))
            reader_complain(r, node, "text between elements");
    return node;
}

xmlNode *reader_first(struct reader *r, const xmlNode *parent)
{
    return skip(r, parent->children);
}

xmlNode *reader_next(struct reader *r, const xmlNode *node)
{
    return skip(r, node->next);
}

/* ---- the text ---- */

static void on_document_type(void *context, const xmlChar *name, const xmlChar *external,
                             const xmlChar *system)
{
    xmlParserCtxt *parser = context;

    (void)name;
    (void)external;
    (void)system;
    reader_complain_at(parser->_private, parser->input->line, parser->input->col,
                       "a model has no document type");
    xmlStopParser(parser);
}

/*
 * The tree keeps lines only, so each element gets the column of its < too; 0 where the start tag
 * has several lines, of which the tree keeps the last.
 */
static void on_element(void *context, const xmlChar *name, const xmlChar *prefix,
                       const xmlChar *uri, int n_namespaces, const xmlChar **namespaces,
                       int n_attributes, int n_defaulted, const xmlChar **attributes)
{
    xmlParserCtxt *parser = context;
    xmlNode *before = parser->node;
    const xmlChar *at = parser->input->cur;
    int column = parser->input->col;

    xmlSAX2StartElementNs(context, name, prefix, uri, n_namespaces, namespaces, n_attributes,
                          n_defaulted, attributes);
    while (at > parser->input->base && *at != '<' && *at != '\n') {
        /* Columns count characters. */
        column -= (*at & 0xc0) != 0x80;
        at--;
    }
    if (parser->node && parser->node != before && *at == '<' && column > 0)
        parser->node->_private = (void *)(intptr_t)column;
}

static void on_error(void *context, xmlErrorPtr error)
{
    xmlParserCtxt *parser = context;
    struct reader *r = parser->_private;
    char text[300];

    if (error->level < XML_ERR_ERROR || r->n_problems || error->code == XML_ERR_USER_STOP)
        return;
    if (error->code == XML_ERR_NO_MEMORY) {
        reader_no_memory(r);
        return;
    }
    snprintf(text, sizeof text, "%s", error->message ? error->message : "not well-formed");
    text[strcspn(text, "\r\n")] = '\0';
    reader_complain_at(r, error->line, error->int2, "%s", text);
}

/* What has no parser's context, such as a broken encoding, would be printed else. */
static void silent(void *context, xmlErrorPtr error)
{
    (void)context;
    (void)error;
}

xmlDoc *reader_parse(struct reader *r, const char *text, size_t size)
{
    xmlStructuredErrorFunc handler = xmlStructuredError;
    void *handler_context = xmlStructuredErrorContext;
    xmlParserCtxt *parser;
    xmlDoc *doc;

    if (size > PORTOLAN_MODEL_MAX_XML_BYTES || !size) {
        reader_complain_at(r, 1, 0, "a model takes 1 to %d bytes, not %zu",
                           (int)PORTOLAN_MODEL_MAX_XML_BYTES, size);
        return NULL;
    }
    xmlInitParser();
    if (!(parser = xmlNewParserCtxt())) {
        reader_no_memory(r);
        return NULL;
    }
    parser->_private = r;
    parser->sax->internalSubset = on_document_type;
    parser->sax->serror = on_error;
    parser->sax->startElementNs = on_element;
    xmlSetStructuredErrorFunc(NULL, silent);
    doc = xmlCtxtReadMemory(parser, text, (int)size, NULL, NULL,
                            XML_PARSE_NONET | XML_PARSE_BIG_LINES);
    xmlSetStructuredErrorFunc(handler_context, handler);
    if (!doc && !r->status)
        reader_complain_at(r, 1, 0, "this is no XML");
    if (r->status) {
        xmlFreeDoc(doc);
        doc = NULL;
    }
    xmlFreeParserCtxt(parser);
    return doc;
}
