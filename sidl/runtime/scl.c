/* SPDX-License-Identifier: BSD-3-Clause */
#include "scl.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>

struct search {
    const char *class_name, *desc;
    struct scl_library *library;
    struct portolan_text *story;
    const char *file; /* being read */
    bool has_error;   /* that file */
    bool found, failed;
};

void scl_library_clear(struct scl_library *library)
{
    free(library->uri);
    free(library->file);
    memset(library, 0, sizeof *library);
}

static bool is_element(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

static bool attribute_is(xmlNode *node, const char *name, const char *value)
{
    xmlChar *own = xmlGetNoNsProp(node, (const xmlChar *)name);
    const bool same = own && strcmp((const char *)own, value) == 0;

    xmlFree(own);
    return same;
}

/* "liba.so" in /etc/a.scl is /etc/liba.so if that is there; the dynamic linker's otherwise. */
static char *beside(const char *scl_file, const char *uri)
{
    const char *slash = strrchr(scl_file, '/');
    const char *name = strncmp(uri, "file:", 5) == 0 ? uri + 5 : uri;
    char *near;

    if (*name == '/' || strncmp(name, "lib:", 4) == 0 || strcmp(name, "main:") == 0)
        return portolan_strdup(uri);
    near = slash ? portolan_asprintf("%.*s/%s", (int)(slash - scl_file), scl_file, name)
                 : portolan_asprintf("./%s", name);
    if (!near || access(near, F_OK) == 0)
        return near;
    free(near);
    return portolan_strdup(uri);
}

static void take_library(struct search *s, xmlNode *library)
{
    xmlChar *uri = xmlGetNoNsProp(library, (const xmlChar *)"uri");

    if (!uri) {
        if (s->story)
            portolan_text_add(s->story, ", %s:%ld: library without uri", s->file,
                              xmlGetLineNo(library));
        return;
    }
    s->library->uri = beside(s->file, (const char *)uri);
    s->library->file = portolan_strdup(s->file);
    s->library->is_global = attribute_is(library, "scope", "global");
    s->library->is_now = attribute_is(library, "resolution", "now");
    s->found = s->library->uri && s->library->file;
    s->failed = !s->found;
    xmlFree(uri);
}

static void search_library(struct search *s, xmlNode *library)
{
    for (xmlNode *node = library->children; node && !s->found && !s->failed; node = node->next)
        if (is_element(node, "class") && attribute_is(node, "name", s->class_name) &&
            attribute_is(node, "desc", s->desc))
            take_library(s, library);
}

static void search_element(struct search *s, xmlNode *element, bool in_scl)
{
    in_scl = in_scl || is_element(element, "scl");
    for (xmlNode *node = element->children; node && !s->found && !s->failed; node = node->next) {
        if (in_scl && is_element(node, "library"))
            search_library(s, node);
        else if (node->type == XML_ELEMENT_NODE)
            search_element(s, node, in_scl);
    }
}

/* The first error of a file is the one to tell; further ones follow from it. */
static void note_error(void *arg, xmlError *error)
{
    struct search *s = ((xmlParserCtxt *)arg)->_private;
    const char *message = error->message ? error->message : "not an XML file";

    if (s->story && !s->has_error)
        portolan_text_add(s->story, ", %s:%d: %.*s", s->file, error->line,
                          (int)strcspn(message, "\n"), message);
    s->has_error = true;
}

static void search_file(struct search *s, const char *file)
{
    xmlParserCtxt *parser = xmlNewParserCtxt();
    xmlDoc *doc;

    if (!parser) {
        s->failed = true;
        return;
    }
    s->file = file;
    s->has_error = false;
    parser->_private = s;
    parser->sax->serror = note_error;
    doc = xmlCtxtReadFile(parser, file, NULL, XML_PARSE_NONET);
    if (doc)
        search_element(s, (xmlNode *)doc, false);
    xmlFreeDoc(doc);
    xmlFreeParserCtxt(parser);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);

    return length > tail && strcmp(text + length - tail, end) == 0;
}

static int names_files(const struct dirent *entry)
{
    return ends_with(entry->d_name, ".scl") || ends_with(entry->d_name, ".cca");
}

static void search_folder(struct search *s, const char *folder)
{
    struct dirent **entries = NULL;
    const int n = scandir(folder, &entries, names_files, alphasort);

    if (s->story)
        portolan_text_add(s->story, " (%d .scl file%s)", n > 0 ? n : 0, n == 1 ? "" : "s");
    for (int i = 0; i < n; i++) {
        char *file =
            s->found || s->failed ? NULL : portolan_asprintf("%s/%s", folder, entries[i]->d_name);

        if (file)
            search_file(s, file);
        else if (!s->found)
            s->failed = true;
        free(file);
        free(entries[i]);
    }
    free(entries);
}

static void search_place(struct search *s, const char *place)
{
    struct stat st;

    if (s->story)
        portolan_text_add(s->story, ", %s", place);
    if (stat(place, &st) != 0) {
        if (s->story)
            portolan_text_add(s->story, " (not there)");
    } else if (S_ISDIR(st.st_mode)) {
        search_folder(s, place);
    } else {
        search_file(s, place);
    }
}

/* The colon of a URI's scheme does not end an element of the path. */
static size_t element_length(const char *path)
{
    size_t length = strcspn(path, ";:");

    if (path[length] == ':' &&
        ((length == 4 && (strncmp(path, "file", 4) == 0 || strncmp(path, "main", 4) == 0)) ||
         (length == 3 && strncmp(path, "lib", 3) == 0)))
        length += 1 + strcspn(path + length + 1, ";:");
    return length;
}

enum portolan_status scl_search(const char *path, const char *class_name, const char *desc,
                                struct scl_library *library, struct portolan_text *story)
{
    struct search s = {.class_name = class_name, .desc = desc, .library = library, .story = story};

    memset(library, 0, sizeof *library);
    while (*path && !s.found && !s.failed) {
        const size_t length = element_length(path);
        char *place = portolan_asprintf("%.*s", (int)length, path);

        s.failed = !place;
        if (place && *place && strcmp(place, "main:") != 0)
            search_place(&s, strncmp(place, "file:", 5) == 0 ? place + 5 : place);
        free(place);
        path += length + (path[length] != '\0');
    }
    if (s.failed)
        scl_library_clear(library);
    return s.failed ? PORTOLAN_ENOMEM : s.found ? PORTOLAN_OK : PORTOLAN_ENOTFOUND;
}
