/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TAU's XML: snapshot.N.C.T, a thread's profile at several times, and tauprofile.xml, all threads
 * in one file. Score-P writes the first kind, too. A thread's last snapshot is its profile.
 */
#include "import.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/tree.h>

enum { MOST_IDS = 1 << 24 };

/* Names by id. */
struct names {
    struct name {
        const char *name, *group;
    } * of;
    size_t n;
};

/* What a thread has been told of; "*" is everybody. */
struct thread {
    const char *id;
    struct names metrics, events, user_events;
    const xmlNode *profile; /* the last */
    struct import_text facts;
};

struct snapshot {
    struct import_files *out;
    struct portolan_arena *arena;
    struct portolan_diagnostics *d;
    const char *file;
    struct thread *threads;
    size_t n;
};

static bool wrong(struct snapshot *s, const xmlNode *at, const char *format, const char *what)
{
    portolan_diagnose(s->d, s->file, at ? (int)xmlGetLineNo(at) : 1, 0, format, what);
    return false;
}

static const char *attribute(struct snapshot *s, const xmlNode *node, const char *name)
{
    xmlChar *value = xmlGetProp(node, (const xmlChar *)name);
    const char *copy = portolan_arena_strdup(s->arena, value ? (const char *)value : "");

    xmlFree(value);
    return copy ? copy : "";
}

static bool is(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && !strcmp((const char *)node->name, name);
}

/* One blank at a time, as names of the other files. */
static const char *text_of(struct snapshot *s, const xmlNode *parent, const char *name)
{
    for (const xmlNode *n = parent->children; n; n = n->next)
        if (is(n, name)) {
            xmlChar *content = xmlNodeGetContent(n);
            char *copy = portolan_arena_strdup(s->arena, content ? (const char *)content : "");

            xmlFree(content);
            return copy ? import_tidy(copy) : "";
        }
    return "";
}

static struct thread *find_thread(struct snapshot *s, const char *id)
{
    struct thread *grown;

    for (size_t i = s->n; i-- > 0;)
        if (!strcmp(s->threads[i].id, id))
            return &s->threads[i];
    if (!(grown = portolan_arena_grow(s->arena, s->threads, s->n, sizeof *grown)))
        return NULL;
    s->threads = grown;
    grown[s->n] = (struct thread){.id = id};
    return &grown[s->n++];
}

/* ------------------------------------------------- definitions */

static bool define(struct snapshot *s, struct names *names, const xmlNode *node)
{
    int64_t id;

    if (!portolan_read_int64(attribute(s, node, "id"), &id) || id < 0 || id >= MOST_IDS)
        return wrong(s, node, "a %s needs an id, a number from 0 on", (const char *)node->name);
    if ((size_t)id >= names->n) {
        size_t room = names->n ? names->n : 64;
        struct name *grown;

        while (room <= (size_t)id)
            room *= 2;
        if (!(grown = portolan_arena_alloc(s->arena, room, sizeof *grown)))
            return false;
        if (names->n)
            memcpy(grown, names->of, names->n * sizeof *grown);
        names->of = grown;
        names->n = room;
    }
    names->of[id] = (struct name){text_of(s, node, "name"), text_of(s, node, "group")};
    return !s->arena->failed;
}

static bool read_definitions(struct snapshot *s, const xmlNode *node)
{
    struct thread *t = find_thread(s, attribute(s, node, "thread"));
    bool good = t != NULL;

    for (const xmlNode *n = node->children; n && good; n = n->next)
        if (is(n, "metric"))
            good = define(s, &t->metrics, n);
        else if (is(n, "event"))
            good = define(s, &t->events, n);
        else if (is(n, "userevent"))
            good = define(s, &t->user_events, n);
    return good;
}

/* ------------------------------------------------- values */

/* A thread's own names come before those of everybody. */
static const struct name *find_name(const struct names *own, const struct names *all, size_t id)
{
    if (id < own->n && own->of[id].name)
        return &own->of[id];
    return id < all->n && all->of[id].name ? &all->of[id] : NULL;
}

/* Up to MOST numbers from *AT on; how many there were. */
static size_t take_numbers(char **at, double *numbers, size_t most)
{
    size_t n = 0;

    for (char *end; n < most; n++) {
        numbers[n] = strtod(*at, &end);
        if (end == *at || !isfinite(numbers[n]))
            break;
        *at = end;
    }
    return n;
}

/* The text of NODE's child NAME; *COUNT: its lines, at most. */
static char *values_of(struct snapshot *s, const xmlNode *node, const char *name,
                       const xmlNode **found, size_t *count)
{
    for (const xmlNode *n = node->children; n; n = n->next)
        if (is(n, name)) {
            xmlChar *content = xmlNodeGetContent(n);
            char *copy = portolan_arena_strdup(s->arena, content ? (const char *)content : "");

            xmlFree(content);
            *found = n;
            *count = 1;
            for (const char *c = copy; c && *c; c++)
                *count += *c == '\n';
            return copy;
        }
    *count = 0;
    return NULL;
}

enum { MOST_METRICS = 64 };

/* Rows are ID CALLS SUBRS (EXCL INCL)…, a pair for each of the N metrics. */
static bool read_rows(struct snapshot *s, const struct thread *t, const struct thread *all,
                      struct import_text *texts, size_t n, const xmlNode *at, char *values,
                      size_t room)
{
    double v[3 + 2 * MOST_METRICS];
    size_t found;

    for (size_t m = 0; m < n; m++)
        if (!(texts[m].rows = portolan_arena_alloc(s->arena, room, sizeof *texts[m].rows)))
            return false;
    while ((found = take_numbers(&values, v, 3 + 2 * n)) == 3 + 2 * n) {
        const struct name *name =
            v[0] >= 0 && v[0] < MOST_IDS ? find_name(&t->events, &all->events, (size_t)v[0]) : NULL;

        if (!name || !(v[1] >= 0 && v[1] < 1e18 && v[2] >= 0 && v[2] < 1e18))
            return wrong(s, at,
                         "%s has a row of an event that is not defined, or no count of calls",
                         "interval_data");
        for (size_t m = 0; m < n && texts[m].n_rows < room; m++)
            texts[m].rows[texts[m].n_rows++] = (struct import_row){
                name->name, name->group, v[1], v[2], v[3 + 2 * m], v[4 + 2 * m]};
    }
    values += strspn(values, " \t\r\n");
    return (found == 0 && !*values) ||
           wrong(s, at, "a row of %s is: ID CALLS SUBRS, and EXCL INCL for each of its metrics",
                 "interval_data");
}

static bool read_events(struct snapshot *s, const struct thread *t, const struct thread *all,
                        struct import_text *text)
{
    const xmlNode *at;
    size_t room;
    char *values = values_of(s, t->profile, "atomic_data", &at, &room);
    double v[6];

    if (room == 0)
        return true;
    text->events = portolan_arena_alloc(s->arena, room, sizeof *text->events);
    while (values && text->events && take_numbers(&values, v, 6) == 6 && text->n_events < room) {
        const struct name *name = v[0] >= 0 && v[0] < MOST_IDS
                                      ? find_name(&t->user_events, &all->user_events, (size_t)v[0])
                                      : NULL;

        if (!name)
            return wrong(s, at, "%s has a row of a userevent that is not defined", "atomic_data");
        if (v[1] > 0 && v[1] < 1e18)
            text->events[text->n_events++] =
                (struct import_event){name->name, v[1], v[2], v[3], v[4], v[5]};
    }
    return !s->arena->failed;
}

static bool add_files(struct snapshot *s, const struct thread *t, struct import_text *texts,
                      size_t n)
{
    struct import_file file = {.path = s->file};

    if (sscanf(t->id, "%d.%d.%d", &file.node, &file.context, &file.thread) != 3 || file.node < 0 ||
        file.context < 0 || file.thread < 0 || file.node >= MOST_IDS)
        return wrong(s, t->profile, "'%s' is no thread; right is: NODE.CONTEXT.THREAD", t->id);
    for (size_t m = 0; m < n; m++) {
        file.folder = m;
        file.text = &texts[m];
        if (!import_add_file(s->out, &file))
            return false;
    }
    return true;
}

static bool read_profile(struct snapshot *s, const struct thread *t, const struct thread *all)
{
    const xmlNode *at = t->profile;
    size_t room, n;
    char *values = values_of(s, t->profile, "interval_data", &at, &room), *list;
    double ids[MOST_METRICS];
    struct import_text *texts;

    list = (char *)attribute(s, at, "metrics");
    n = take_numbers(&list, ids, MOST_METRICS);
    texts = portolan_arena_alloc(s->arena, n + 1, sizeof *texts);
    if (!texts || (!values && room))
        return false;
    if (room == 0 || n == 0)
        return wrong(s, at, "a profile needs %s with its metrics", "interval_data");
    for (size_t m = 0; m < n; m++) {
        const struct name *metric = ids[m] >= 0 && ids[m] < MOST_IDS
                                        ? find_name(&t->metrics, &all->metrics, (size_t)ids[m])
                                        : NULL;

        if (!metric || !*metric->name)
            return wrong(s, at, "%s names a metric that is not defined", "interval_data");
        texts[m] = t->facts.n_facts ? t->facts : all->facts;
        texts[m].metric = metric->name;
    }
    return read_rows(s, t, all, texts, n, at, values, room) && read_events(s, t, all, &texts[0]) &&
           add_files(s, t, texts, n);
}

/* ------------------------------------------------- the file */

static bool read_facts(struct snapshot *s, const xmlNode *node, const char *id)
{
    struct thread *t = find_thread(s, id);

    return t && import_add_facts(s->arena, node, &t->facts);
}

static bool read_element(struct snapshot *s, const xmlNode *node)
{
    struct thread *t;

    if (is(node, "definitions"))
        return read_definitions(s, node);
    if (is(node, "metadata"))
        return read_facts(s, node, "*");
    if (is(node, "profile")) {
        t = find_thread(s, attribute(s, node, "thread"));
        if (t)
            t->profile = node;
        return t != NULL;
    }
    for (const xmlNode *n = is(node, "thread") ? node->children : NULL; n; n = n->next)
        if (is(n, "metadata") && !read_facts(s, n, attribute(s, node, "id")))
            return false;
    return true;
}

static bool read_threads(struct snapshot *s)
{
    const struct thread *all = find_thread(s, "*");
    struct thread everybody;
    bool any = false;

    if (!all)
        return false;
    everybody = *all;
    for (size_t i = 0; i < s->n; i++) {
        if (!s->threads[i].profile)
            continue;
        any = true;
        if (!read_profile(s, &s->threads[i], &everybody))
            return false;
    }
    return any || wrong(s, NULL, "there is no %s in it", "profile of a thread");
}

enum portolan_status import_read_snapshot(struct import_files *out, const char *path,
                                          struct portolan_diagnostics *d,
                                          struct portolan_error *err)
{
    const int how = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_HUGE;
    struct snapshot s = {.out = out, .arena = &out->arena, .d = d, .file = path};
    xmlDoc *doc = xmlReadFile(path, NULL, how);
    const xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
    bool good = root && is(root, "profile_xml");

    if (!root) {
        const xmlError *error = xmlGetLastError();

        portolan_diagnose(d, path, error && error->line > 0 ? error->line : 1, 0,
                          "the file is not well-formed XML");
    } else if (!good) {
        wrong(&s, root, "<%s> is no profile of TAU; right is: <profile_xml>",
              (const char *)root->name);
    }
    for (const xmlNode *n = good ? root->children : NULL; n && good; n = n->next)
        good = read_element(&s, n);
    good = good && read_threads(&s);
    xmlFreeDoc(doc);
    if (good && !s.arena->failed)
        return PORTOLAN_OK;
    return s.arena->failed
               ? portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory")
               : portolan_error_set(err, PORTOLAN_ESYNTAX, "'%s' is no TAU profile", path);
}
