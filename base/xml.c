/* SPDX-License-Identifier: BSD-3-Clause */
/* XML files as small trees with places, and the check of a tree against rules: misspelt words with
 * the nearest known one. */
#include <portolan/number.h>
#include <portolan/xml.h>

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/xmlerror.h>

enum { FILE_BYTES_MAX = 4 << 20 };

struct reader {
    struct portolan_arena *arena;
    const char *file;
    enum xml_form form;
    struct portolan_diagnostics *d;
    xmlParserCtxt *parser;
    struct xml_element *root, *open;
    struct portolan_text text;
    bool failed, nomem;
};

static void stop_reading(struct reader *r)
{
    r->failed = true;
    xmlStopParser(r->parser);
}

static void stop_nomem(struct reader *r)
{
    r->nomem = true;
    stop_reading(r);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* A walk over the input that keeps line and column. */
struct place {
    const char *at, *end;
    int line, column;
};

/* Columns count characters: bytes that begin one. */
static bool begins_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

static void next_character(struct place *p)
{
    if (*p->at == '\n') {
        p->line++;
        p->column = 0;
    }
    p->at++;
    p->column += p->at >= p->end || begins_character(*p->at);
}

/*
 * libxml2 is at the end of the start tag now and names that line. The tag's own start is the
 * nearest '<' before it, because neither names nor attribute values may hold one.
 */
static struct place tag_start(const xmlParserInput *in)
{
    struct place p = {(const char *)in->cur, (const char *)in->cur, in->line, 1};
    const char *base = (const char *)in->base, *line_start;

    while (p.at > base && *p.at != '<') {
        p.at--;
        if (*p.at == '\n')
            p.line--;
    }
    for (line_start = p.at; line_start > base && line_start[-1] != '\n'; line_start--)
        p.column += begins_character(*line_start);
    return p;
}

/* Moves P past the next attribute, which begins at *NAME; false at the tag's end. */
static bool next_attribute(struct place *p, struct place *name)
{
    char quote;

    while (p->at < p->end && is_blank(*p->at))
        next_character(p);
    *name = *p;
    while (p->at < p->end && *p->at != '"' && *p->at != '\'')
        next_character(p);
    if (p->at >= p->end)
        return false;
    quote = *p->at;
    next_character(p);
    while (p->at < p->end && *p->at != quote)
        next_character(p);
    if (p->at < p->end)
        next_character(p);
    /* A declaration of a namespace is not an attribute. */
    if (!strncmp(name->at, "xmlns", 5) && strchr("=: \t\r\n", name->at[5]))
        return next_attribute(p, name);
    return true;
}

/* libxml2 leaves an ampersand of an attribute as "&#38;" when it builds no tree. */
static void decode_ampersands(char *text)
{
    char *to = text;

    for (const char *from = text; *from; to++) {
        if (!strncmp(from, "&#38;", 5)) {
            *to = '&';
            from += 5;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

static const char *qualified_name(struct portolan_arena *arena, const xmlChar *prefix,
                                  const xmlChar *name)
{
    if (!prefix)
        return portolan_arena_strdup(arena, (const char *)name);
    return portolan_arena_printf(arena, "%s:%s", (const char *)prefix, (const char *)name);
}

/* FIELDS: local name, prefix, namespace, start and end of the value for each attribute. */
static bool add_attributes(struct reader *r, struct xml_element *e, struct place p, int count,
                           const xmlChar **fields)
{
    struct place name = p;

    if (count &&
        !(e->attributes = portolan_arena_alloc(r->arena, (size_t)count, sizeof *e->attributes)))
        return false;
    while (p.at < p.end && !is_blank(*p.at)) /* '<' and the element's name */
        next_character(&p);
    for (int i = 0; i < count; i++, fields += 5) {
        struct xml_attribute *a = &e->attributes[i];
        char *value = portolan_arena_strndup(r->arena, (const char *)fields[3],
                                             (size_t)(fields[4] - fields[3]));

        if (!value || !(a->name = qualified_name(r->arena, fields[1], fields[0])))
            return false;
        decode_ampersands(value);
        a->value = value;
        next_attribute(&p, &name);
        a->line = name.line;
        a->column = name.column;
        e->n_attributes++;
    }
    return true;
}

/* Text since the last tag follows the element before it; without one, it is the parent's. */
static void keep_text(struct reader *r)
{
    size_t first = 0, last = r->text.length;
    const char **to = !r->open              ? NULL
                      : r->open->last_child ? &r->open->last_child->tail
                                            : &r->open->text;

    while (first < last && is_blank(r->text.bytes[first]))
        first++;
    while (first < last && is_blank(r->text.bytes[last - 1]))
        last--;
    if (to && last > first &&
        !(*to = portolan_arena_strndup(r->arena, r->text.bytes + first, last - first)))
        stop_nomem(r);
    r->text.length = 0;
}

static void link_element(struct reader *r, struct xml_element *e)
{
    e->parent = r->open;
    if (!r->open)
        r->root = e;
    else if (r->open->last_child)
        r->open->last_child->next = e;
    else
        r->open->children = e;
    if (r->open)
        r->open->last_child = e;
    r->open = e;
}

static void on_start(void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                     int n_namespaces, const xmlChar **namespaces, int n_attributes,
                     int n_defaulted, const xmlChar **attributes)
{
    struct reader *r = arg;
    struct place p = tag_start(r->parser->input);
    struct xml_element *e = portolan_arena_alloc(r->arena, 1, sizeof *e);

    (void)namespaces, (void)n_defaulted;
    if (!e || !(e->name = qualified_name(r->arena, uri ? NULL : prefix, name)) ||
        (uri && !(e->space = portolan_arena_strdup(r->arena, (const char *)uri)))) {
        stop_nomem(r);
        return;
    }
    e->text = e->tail = "";
    e->file = r->file;
    e->line = p.line;
    e->column = p.column;
    if (r->form == XML_PLAIN && (uri || n_namespaces)) {
        portolan_diagnose(r->d, r->file, e->line, e->column,
                          "element '%s%s%s' declares or uses a namespace; this format has none",
                          uri && prefix ? (const char *)prefix : "", uri && prefix ? ":" : "",
                          e->name);
        stop_reading(r);
        return;
    }
    if (!add_attributes(r, e, p, n_attributes, attributes)) {
        stop_nomem(r);
        return;
    }
    keep_text(r);
    link_element(r, e);
}

static void on_end(void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    struct reader *r = arg;

    (void)name, (void)prefix, (void)uri;
    keep_text(r);
    if (r->open)
        r->open = r->open->parent;
}

static void on_text(void *arg, const xmlChar *text, int length)
{
    struct reader *r = arg;
    int newlines_behind = 0;
    bool blank = true;

    for (int i = 0; i < length; i++) {
        if (blank && !is_blank((char)text[i])) {
            blank = false;
            newlines_behind = 0;
        }
        newlines_behind += text[i] == '\n';
    }
    if (!blank && r->open && !r->open->text_line)
        r->open->text_line = r->parser->input->line - newlines_behind;
    portolan_text_add_bytes(&r->text, (const char *)text, (size_t)length);
    if (r->text.failed)
        stop_nomem(r);
}

static void on_document_type(void *arg, const xmlChar *name, const xmlChar *external,
                             const xmlChar *system)
{
    struct reader *r = arg;

    (void)name, (void)external, (void)system;
    portolan_diagnose(r->d, r->file, r->parser->input->line, 0,
                      "a document type declaration (DOCTYPE) is not allowed here; remove it, and "
                      "replace its entities by their text");
    stop_reading(r);
}

static bool at_end(const struct reader *r, const xmlError *e)
{
    const xmlParserInput *in = r->parser->input;

    return e->code == XML_ERR_DOCUMENT_END || e->code == XML_ERR_TAG_NOT_FINISHED ||
           e->code == XML_ERR_DOCUMENT_EMPTY || (in && in->cur >= in->end);
}

static void on_error(void *arg, xmlError *e)
{
    struct reader *r = arg;
    int length = e->message ? (int)strcspn(e->message, "\n") : 0;

    if (r->failed || e->level < XML_ERR_ERROR ||
        (r->form == XML_FOREIGN && e->domain == XML_FROM_NAMESPACE))
        return;
    if (e->code == XML_ERR_NO_MEMORY)
        r->nomem = true;
    else if (at_end(r, e) && r->open)
        portolan_diagnose(r->d, r->file, e->line, e->int2,
                          "the file ends inside <%s>, which begins on line %d; is it cut off?",
                          r->open->name, r->open->line);
    else
        portolan_diagnose(r->d, r->file, e->line, e->int2, "not well-formed XML: %.*s", length,
                          e->message);
    r->failed = true;
}

/* libxml2 would print errors without a parser's context, such as a broken encoding. */
static void ignore_error(void *context, xmlError *e)
{
    (void)context, (void)e;
}

static enum portolan_status parse_text(struct reader *r, const char *text, size_t size)
{
    static pthread_once_t prepared = PTHREAD_ONCE_INIT; /* xmlInitParser() is not for two threads */
    xmlStructuredErrorFunc handler = xmlStructuredError;
    void *handler_context = xmlStructuredErrorContext;
    xmlParserCtxt *parser;

    pthread_once(&prepared, xmlInitParser);
    r->parser = parser = xmlNewParserCtxt();
    if (!parser)
        return PORTOLAN_ENOMEM;
    memset(parser->sax, 0, sizeof *parser->sax);
    parser->sax->initialized = XML_SAX2_MAGIC;
    parser->sax->startElementNs = on_start;
    parser->sax->endElementNs = on_end;
    parser->sax->characters = on_text;
    parser->sax->ignorableWhitespace = on_text;
    if (r->form != XML_FOREIGN)
        parser->sax->internalSubset = on_document_type;
    parser->sax->serror = on_error;
    parser->userData = r;
    xmlSetStructuredErrorFunc(NULL, ignore_error);
    xmlCtxtReadMemory(parser, text, (int)size, r->file, r->form == XML_PLAIN ? "UTF-8" : NULL,
                      XML_PARSE_NONET);
    xmlSetStructuredErrorFunc(handler_context, handler);
    if (!r->failed && (!parser->wellFormed || r->open || !r->root)) {
        portolan_diagnose(r->d, r->file, 1, 0, "not well-formed XML");
        r->failed = true;
    }
    xmlFreeParserCtxt(parser);
    if (r->nomem) {
        r->arena->failed = true;
        return PORTOLAN_ENOMEM;
    }
    return r->failed ? PORTOLAN_ESYNTAX : PORTOLAN_OK;
}

enum portolan_status xml_read_text(struct portolan_arena *arena, const char *text, size_t size,
                                   const char *file, enum xml_form form,
                                   struct portolan_diagnostics *d, struct xml_element **root,
                                   struct portolan_error *err)
{
    struct reader r = {.arena = arena, .file = file, .form = form, .d = d};
    enum portolan_status status;

    *root = NULL;
    if (size > FILE_BYTES_MAX) {
        portolan_diagnose(d, file, 0, 0, "the file is larger than %d MiB", FILE_BYTES_MAX >> 20);
        return portolan_error_set(err, PORTOLAN_ESYNTAX, "%s: larger than %d MiB", file,
                                  FILE_BYTES_MAX >> 20);
    }
    status = parse_text(&r, text, size);
    portolan_text_clear(&r.text);
    if (status != PORTOLAN_OK)
        return portolan_error_set(err, status, "%s: %s", file, portolan_status_text(status));
    *root = r.root;
    return PORTOLAN_OK;
}

enum portolan_status xml_read_bytes(const char *file, struct portolan_text *b,
                                    struct portolan_error *err)
{
    if (portolan_text_add_file(b, file, FILE_BYTES_MAX))
        return PORTOLAN_OK;
    if (errno == EFBIG)
        return portolan_error_set(err, PORTOLAN_EIO, "%s: larger than %d MiB", file,
                                  FILE_BYTES_MAX >> 20);
    if (errno == ENOMEM)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "%s: out of memory", file);
    return portolan_error_set(err, PORTOLAN_EIO, "%s: cannot %s: %s%s", file,
                              errno == EISDIR ? "read" : "open", strerror(errno),
                              portolan_did_you_mean_file(file).text);
}

enum portolan_status xml_read_file(struct portolan_arena *arena, const char *file,
                                   enum xml_form form, struct portolan_diagnostics *d,
                                   struct xml_element **root, struct portolan_error *err)
{
    struct portolan_text b = {0};
    enum portolan_status status = xml_read_bytes(file, &b, err);

    *root = NULL;
    if (status == PORTOLAN_OK)
        status = xml_read_text(arena, b.bytes ? b.bytes : "", b.length, file, form, d, root, err);
    portolan_text_clear(&b);
    return status;
}

const struct xml_attribute *xml_attribute(const struct xml_element *e, const char *name)
{
    for (size_t i = 0; i < e->n_attributes; i++)
        if (!strcmp(e->attributes[i].name, name))
            return &e->attributes[i];
    return NULL;
}

const char *xml_value(const struct xml_element *e, const char *name)
{
    const struct xml_attribute *a = xml_attribute(e, name);

    return a ? a->value : NULL;
}

size_t xml_count(const struct xml_element *parent, const char *name)
{
    size_t count = 0;

    for (const struct xml_element *e = NULL; (e = xml_next(parent, e, name));)
        count++;
    return count;
}

const struct xml_element *xml_next(const struct xml_element *parent,
                                   const struct xml_element *previous, const char *name)
{
    const struct xml_element *e = previous ? previous->next : parent->children;

    while (e && strcmp(e->name, name))
        e = e->next;
    return e;
}

void xml_complain(struct portolan_diagnostics *d, const struct xml_element *e,
                  const char *attribute, const char *format, ...)
{
    const struct xml_attribute *a = attribute ? xml_attribute(e, attribute) : NULL;
    char text[1000];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    portolan_diagnose(d, e->file, a ? a->line : e->line, a ? a->column : e->column, "%s", text);
}

/* -- The checker of a tree against rules: misspelt words with the nearest known one. -- */

enum { WORDS_MAX = 32 };

struct words {
    const char *word[WORDS_MAX];
    size_t count;
};

static void words_add(struct words *w, const char *const *list)
{
    for (; list && *list && w->count < WORDS_MAX; list++)
        w->word[w->count++] = *list;
}

static bool words_hold(const struct words *w, const char *word)
{
    for (size_t i = 0; i < w->count; i++)
        if (!strcmp(w->word[i], word))
            return true;
    return false;
}

static void unknown_attribute(struct portolan_diagnostics *d, const struct xml_element *e,
                              const struct xml_attribute *a, const struct words *known)
{
    const char *near = portolan_nearest_word(a->name, known->word, known->count);

    if (known->count)
        xml_complain(d, e, a->name, "unknown attribute '%s' in <%s>%s", a->name, e->name,
                     portolan_did_you_mean(near).text);
    else
        xml_complain(d, e, a->name, "unknown attribute '%s': <%s> has no attributes", a->name,
                     e->name);
}

static void check_attributes(struct portolan_diagnostics *d, const struct xml_element *e,
                             const struct xml_rule *rule)
{
    struct words known = {0};

    words_add(&known, rule->required);
    words_add(&known, rule->optional);
    for (size_t i = 0; i < e->n_attributes; i++)
        if (!words_hold(&known, e->attributes[i].name))
            unknown_attribute(d, e, &e->attributes[i], &known);
    for (const char *const *name = rule->required; name && *name; name++)
        if (!xml_attribute(e, *name))
            xml_complain(d, e, NULL, "<%s> lacks the attribute '%s'", e->name, *name);
}

static const struct xml_rule *rule_of_child(const struct xml_rule *rule, const char *name)
{
    for (const struct xml_rule *const *r = rule->children; r && *r; r++)
        if (!strcmp((*r)->name, name))
            return *r;
    return NULL;
}

static void unknown_element(struct portolan_diagnostics *d, const struct xml_element *e,
                            const struct xml_rule *parent)
{
    struct words known = {0};
    const char *near;

    for (const struct xml_rule *const *r = parent->children; r && *r && known.count < WORDS_MAX;
         r++)
        known.word[known.count++] = (*r)->name;
    near = portolan_nearest_word(e->name, known.word, known.count);
    xml_complain(d, e, NULL, "unknown element '%s' in <%s>%s", e->name, parent->name,
                 portolan_did_you_mean(near).text);
}

static void check_element(struct portolan_diagnostics *d, const struct xml_element *e,
                          const struct xml_rule *rule)
{
    check_attributes(d, e, rule);
    if (e->text_line && (!rule->text || e->children))
        portolan_diagnose(d, e->file, e->text_line, 0, "text is not allowed inside <%s>", e->name);
    for (const struct xml_element *child = e->children; child; child = child->next) {
        const struct xml_rule *r = rule_of_child(rule, child->name);

        if (!r) {
            unknown_element(d, child, rule);
            continue;
        }
        if (r->once && xml_next(e, NULL, child->name) != child)
            xml_complain(d, child, NULL, "second <%s> in <%s>; the first is on line %d",
                         child->name, e->name, xml_next(e, NULL, child->name)->line);
        check_element(d, child, r);
    }
}

void xml_check(const struct xml_element *root, const struct xml_rule *rule,
               struct portolan_diagnostics *d)
{
    if (strcmp(root->name, rule->name))
        xml_complain(d, root, NULL, "the outermost element is '%s'; it must be '%s'", root->name,
                     rule->name);
    else
        check_element(d, root, rule);
}

/* -- Elements as text. -- */

void xml_add_attribute(struct portolan_text *t, const char *name, const char *value)
{
    if (!value)
        return;
    portolan_text_add(t, " %s=\"", name);
    portolan_text_add_xml(t, value);
    portolan_text_add(t, "\"");
}

void xml_add_number(struct portolan_text *t, const char *name, double value)
{
    char text[PORTOLAN_NUMBER_TEXT];

    portolan_number_write(value, false, text);
    xml_add_attribute(t, name, isfinite(value) ? text : NULL);
}

void xml_add_start(struct portolan_text *t, const char *indent, const char *name, ...)
{
    const char *attribute;
    va_list args;

    portolan_text_add(t, "%s<%s", indent, name);
    va_start(args, name);
    while ((attribute = va_arg(args, const char *)))
        xml_add_attribute(t, attribute, va_arg(args, const char *));
    va_end(args);
}
