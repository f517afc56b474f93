/* SPDX-License-Identifier: BSD-3-Clause */
/* The metadata of a TAU profile: attributes of a name and a value. */
#include "import.h"

#include <limits.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/tree.h>

static const xmlNode *child(const xmlNode *parent, const char *name)
{
    for (const xmlNode *n = parent->children; n; n = n->next)
        if (n->type == XML_ELEMENT_NODE && !strcmp((const char *)n->name, name))
            return n;
    return NULL;
}

static char *text_of(struct portolan_arena *a, const xmlNode *node)
{
    xmlChar *content = node ? xmlNodeGetContent(node) : NULL;
    char *text = portolan_arena_strdup(a, content ? (const char *)content : "");

    xmlFree(content);
    return text;
}

static bool has_fact(const struct import_text *out, const char *name)
{
    for (size_t i = 0; i < out->n_facts; i++)
        if (!strcmp(out->facts[i].name, name))
            return true;
    return false;
}

/* The name of the metric is not one of the trial's facts; of several values the first counts. */
static bool add_fact(struct portolan_arena *a, const xmlNode *attribute, struct import_text *out)
{
    struct portolan_name_value *grown;
    char *name = text_of(a, child(attribute, "name"));
    char *value = text_of(a, child(attribute, "value"));

    if (!name || !value)
        return false;
    if (!strcmp(name, "Metric Name")) {
        if (*value)
            out->metric = value;
        return true;
    }
    if (!*name || has_fact(out, name) || child(attribute, "timer_context"))
        return true;
    if (!(grown = portolan_arena_grow(a, out->facts, out->n_facts, sizeof *grown)))
        return false;
    out->facts = grown;
    grown[out->n_facts++] = (struct portolan_name_value){name, value};
    return true;
}

bool import_add_facts(struct portolan_arena *a, const void *metadata, struct import_text *out)
{
    const xmlNode *root = metadata;

    for (const xmlNode *n = root->children; n; n = n->next)
        if (n->type == XML_ELEMENT_NODE && !strcmp((const char *)n->name, "attribute") &&
            !add_fact(a, n, out))
            return false;
    return true;
}

const char *import_read_facts(struct portolan_arena *a, const char *xml, size_t length,
                              struct import_text *out)
{
    const int quiet = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
    xmlDoc *doc = length <= INT_MAX ? xmlReadMemory(xml, (int)length, NULL, NULL, quiet) : NULL;
    const xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
    const char *problem = NULL;

    if (!root)
        problem = "the metadata is not well-formed XML; right is: "
                  "<metadata><attribute><name>…</name><value>…</value></attribute>…</metadata>";
    else if (!import_add_facts(a, root, out))
        problem = "out of memory";
    xmlFreeDoc(doc);
    return problem;
}
