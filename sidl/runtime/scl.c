/* SPDX-License-Identifier: BSD-3-Clause */
#include "scl.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <portolan/xml.h>

struct search {
    const char *class_name, *desc;
    struct scl_library *library;
    struct portolan_text *story;
    const char *file; /* being read */
    bool found, failed;
};

void scl_library_clear(struct scl_library *library)
{
    free(library->uri);
    free(library->file);
    memset(library, 0, sizeof *library);
}

static bool attribute_is(const struct xml_element *e, const char *name, const char *value)
{
    const char *own = xml_value(e, name);

    return own && strcmp(own, value) == 0;
}

/* "liba.so" in /etc/a.scl means /etc/liba.so if it exists; else the dynamic linker searches it. */
static char *path_beside(const char *scl_file, const char *uri)
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

static void take_library(struct search *s, const struct xml_element *library)
{
    const char *uri = xml_value(library, "uri");

    if (!uri) {
        if (s->story)
            portolan_text_add(s->story, ", %s:%d: library without uri", s->file, library->line);
        return;
    }
    s->library->uri = path_beside(s->file, uri);
    s->library->file = portolan_strdup(s->file);
    s->library->is_global = attribute_is(library, "scope", "global");
    s->library->is_now = attribute_is(library, "resolution", "now");
    s->found = s->library->uri && s->library->file;
    s->failed = !s->found;
}

static void search_library(struct search *s, const struct xml_element *library)
{
    for (const struct xml_element *e = NULL;
         !s->found && !s->failed && (e = xml_next(library, e, "class"));)
        if (attribute_is(e, "name", s->class_name) && attribute_is(e, "desc", s->desc))
            take_library(s, library);
}

static void search_element(struct search *s, const struct xml_element *element, bool in_scl)
{
    in_scl = in_scl || strcmp(element->name, "scl") == 0;
    for (const struct xml_element *e = element->children; e && !s->found && !s->failed; e = e->next)
        if (in_scl && strcmp(e->name, "library") == 0)
            search_library(s, e);
        else
            search_element(s, e, in_scl);
}

/* Notes the file's first error, after which reading stops. */
static void note_error(void *arg, const char *file, int line, int column, const char *text)
{
    struct search *s = arg;

    (void)column;
    if (s->story)
        portolan_text_add(s->story, ", %s:%d: %s", file, line, text);
}

static void search_file(struct search *s, const char *file)
{
    struct portolan_diagnostics d = {note_error, s, 0};
    struct portolan_arena arena = {0};
    struct portolan_error err = {0};
    struct xml_element *root;
    enum portolan_status status = xml_read_file(&arena, file, XML_FOREIGN, &d, &root, &err);

    s->file = file;
    if (status == PORTOLAN_OK)
        search_element(s, root, false);
    else if (status == PORTOLAN_EIO && s->story)
        portolan_text_add(s->story, ", %s", err.text);
    s->failed = s->failed || status == PORTOLAN_ENOMEM;
    portolan_arena_clear(&arena);
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
            portolan_text_add(s->story, " (does not exist)");
    } else if (S_ISDIR(st.st_mode)) {
        search_folder(s, place);
    } else {
        search_file(s, place);
    }
}

/* The length of the first element; the colon of a URI's scheme does not end it. */
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
