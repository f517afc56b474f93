/* SPDX-License-Identifier: BSD-3-Clause */
/* From the file of an assembly to struct portolan_assembly. The grammar ships as assembly.rng, too;
 * the tests compare them. */
#include "assembly.h"
#include "value.h"

#include <stdio.h>
#include <string.h>

static const struct xml_rule path = {.name = "path", .required = XML_WORDS("dir")};
static const struct xml_rule connect = {
    .name = "connect", .required = XML_WORDS("user", "uses", "provider", "provides")};
static const struct xml_rule monitor = {
    .name = "monitor",
    .optional = XML_WORDS("user", "uses", "instance", "port", "variant", "rows", "sample")};
static const struct xml_rule pair = {
    .name = "pair", .required = XML_WORDS("of", "with"), .optional = XML_WORDS("method")};
static const struct xml_rule vary = {.name = "vary",
                                     .required = XML_WORDS("instance", "parameter", "values")};
static const struct xml_rule set = {.name = "set",
                                    .required = XML_WORDS("instance", "parameter", "value")};
static const struct xml_rule one_case = {.name = "case", .required = XML_WORDS("values")};
static const struct xml_rule cases = {.name = "cases",
                                      .optional = XML_WORDS("columns", "file"),
                                      .children = XML_RULES(&one_case),
                                      .once = true};
static const struct xml_rule sweep = {.name = "sweep",
                                      .optional = XML_WORDS("budget", "timeout"),
                                      .children = XML_RULES(&vary, &set, &cases),
                                      .once = true};
static const struct xml_rule optimizer = {
    .name = "optimizer",
    .optional = XML_WORDS("alpha", "beta", "epsilon", "accuracy", "compose", "memory", "steps"),
    .once = true};
static const struct xml_rule go = {
    .name = "go", .required = XML_WORDS("instance", "port"), .once = true};

const struct xml_rule assembly_rule = {
    .name = "assembly",
    .required = XML_WORDS("name"),
    .children = XML_RULES(&path, &program_rule, &instance_rule, &connect, &monitor, &pair,
                          &data_rule, &paradigm_rule, &sweep, &optimizer, &go)};

/* -- From the tree of an assembly file to its struct. assembly_check.c checks references. -- */

static void read_connections(struct assembly_reader *r, const struct xml_element *root)
{
    size_t count = xml_count(root, "connect");
    struct portolan_assembly_connection *c = portolan_arena_alloc(r->arena, count, sizeof *c);

    r->a->connections = c;
    for (const struct xml_element *e = NULL;
         !r->arena->failed && (e = xml_next(root, e, "connect")); c++) {
        assembly_require_text(r, e);
        c->user = xml_value(e, "user");
        c->uses = xml_value(e, "uses");
        c->provider = xml_value(e, "provider");
        c->provides = xml_value(e, "provides");
        c->line = e->line;
        r->a->n_connections++;
    }
}

static struct portolan_assembly_connection *connection_of(struct portolan_assembly *a,
                                                          const char *user, const char *uses)
{
    for (size_t i = 0; i < a->n_connections; i++)
        if (!strcmp(a->connections[i].user, user) && !strcmp(a->connections[i].uses, uses))
            return &a->connections[i];
    return NULL;
}

static const char *read_variant(struct assembly_reader *r, const struct xml_element *e)
{
    static const char *const known[] = {"forward", "profile", "mastermind"};
    const char *word = xml_value(e, "variant"), *near;

    for (size_t i = 0; word && i < 3; i++)
        if (!strcmp(word, known[i]))
            return known[i];
    if (!word)
        return NULL;
    near = portolan_nearest_word(word, known, 3);
    xml_complain(r->d, e, "variant", "unknown variant '%.100s'%s", word,
                 near ? portolan_did_you_mean(near).text : "; use forward, profile or mastermind");
    return NULL;
}

static unsigned read_sample(struct assembly_reader *r, const struct xml_element *e)
{
    const char *word = xml_value(e, "sample");
    int64_t n = 0;

    if (word && (!portolan_read_int64(word, &n) || n < 1 || n > PORTOLAN_ASSEMBLY_ONE_IN_MAX))
        xml_complain(r->d, e, "sample",
                     "write a number of calls of which one is timed, 1 to 16777216");
    return n < 0 || n > PORTOLAN_ASSEMBLY_ONE_IN_MAX ? 0 : (unsigned)n;
}

/* The connection that a <monitor> names, or NULL after a complaint. */
static struct portolan_assembly_connection *monitored_connection(struct assembly_reader *r,
                                                                 const struct xml_element *e)
{
    const char *user = xml_value(e, "user"), *uses = xml_value(e, "uses"), *near;
    const char *instance = xml_value(e, "instance"), *port = xml_value(e, "port");
    struct portolan_assembly_connection *c = NULL, *go = &r->a->go;

    if (user && uses && !instance && !port) {
        if (!(c = connection_of(r->a, user, uses))) {
            near = portolan_assembly_peek_instance(r->a, user)
                       ? NULL
                       : assembly_nearest_instance(r->a, user);
            xml_complain(r->d, e, "user",
                         "<monitor> names no connection: uses port '%.100s' of '%.100s' is not "
                         "connected%s%s%s",
                         uses, user, near ? "; did you mean user '" : "", near ? near : "",
                         near ? "'?" : "");
        }
    } else if (user || uses || !instance || !port) {
        xml_complain(r->d, e, NULL,
                     "<monitor> takes either 'user' and 'uses' (a connection) or "
                     "'instance' and 'port' (the go port)");
    } else if (go->provider && !strcmp(instance, go->provider) && !strcmp(port, go->provides)) {
        c = go;
    } else {
        xml_complain(r->d, e, NULL,
                     "port '%s' of '%s' is not the port that <go> names; other provides "
                     "ports are monitored at their connections (user, uses)",
                     port, instance);
    }
    return c;
}

static void read_monitors(struct assembly_reader *r, const struct xml_element *root)
{
    for (const struct xml_element *e = NULL; (e = xml_next(root, e, "monitor"));) {
        struct portolan_assembly_connection *c;

        assembly_require_text(r, e);
        c = monitored_connection(r, e);
        if (c && c->monitored)
            xml_complain(r->d, e, *c->user ? "user" : NULL, "%s is monitored already",
                         *c->user ? "this connection" : "the go port");
        if (!c || c->monitored)
            continue;
        c->monitored = true;
        c->variant = read_variant(r, e);
        c->has_rows = assembly_read_flag(e, "rows", r->d);
        c->one_in = read_sample(r, e);
    }
}

static void read_pairs(struct assembly_reader *r, const struct xml_element *root)
{
    struct portolan_assembly_pair *p =
        portolan_arena_alloc(r->arena, xml_count(root, "pair"), sizeof *p);

    r->a->pairs = p;
    for (const struct xml_element *e = NULL; !r->arena->failed && (e = xml_next(root, e, "pair"));
         p++) {
        assembly_require_text(r, e);
        p->of = xml_value(e, "of");
        p->with = xml_value(e, "with");
        p->method = xml_value(e, "method");
        p->line = e->line;
        r->a->n_pairs++;
    }
}

static void split_values(struct assembly_reader *r, struct portolan_assembly_sweep *s,
                         const char *text)
{
    const char *at = text, *word;
    size_t length, count = 0;

    while (value_next_word(&at, &length))
        count++;
    s->values = portolan_arena_alloc(r->arena, count, sizeof *s->values);
    for (at = text; !r->arena->failed && (word = value_next_word(&at, &length));)
        s->values[s->n_values++] = portolan_arena_strndup(r->arena, word, length);
}

static void read_sweep_line(struct assembly_reader *r, const struct xml_element *e,
                            struct portolan_assembly_sweep *s)
{
    assembly_require_text(r, e);
    s->instance = xml_value(e, "instance");
    s->parameter = xml_value(e, "parameter");
    s->line = e->line;
    s->varies = !strcmp(e->name, "vary");
    if (s->varies) {
        split_values(r, s, xml_value(e, "values"));
        if (!s->n_values && !r->arena->failed)
            xml_complain(r->d, e, "values",
                         "'values' holds no value; write them with blanks between");
    } else if ((s->values = portolan_arena_alloc(r->arena, 1, sizeof *s->values))) {
        s->values[s->n_values++] = xml_value(e, "value");
    }
}

static void read_sweep(struct assembly_reader *r, const struct xml_element *root)
{
    const struct xml_element *sweep = xml_next(root, NULL, "sweep");
    size_t count;

    if (!sweep)
        return;
    assembly_read_double(r, sweep, "budget", &r->a->sweep_budget_s);
    assembly_read_double(r, sweep, "timeout", &r->a->sweep_timeout_s);
    count = xml_count(sweep, "vary") + xml_count(sweep, "set");
    r->a->sweeps = portolan_arena_alloc(r->arena, count, sizeof *r->a->sweeps);
    for (const struct xml_element *e = sweep->children; e && !r->arena->failed; e = e->next)
        if (strcmp(e->name, "cases") != 0)
            read_sweep_line(r, e, &r->a->sweeps[r->a->n_sweeps++]);
        else
            assembly_read_cases(r->a, r->arena, e, r->d);
}

static void read_composition(struct assembly_reader *r, const struct xml_element *e)
{
    const char *word = xml_value(e, "compose");

    if (!word)
        return;
    if (!strcmp(word, "sum"))
        r->a->composition = PORTOLAN_COMPOSE_SUM;
    else if (!strcmp(word, "product"))
        r->a->composition = PORTOLAN_COMPOSE_PRODUCT;
    else if (strcmp(word, "worst") != 0)
        xml_complain(r->d, e, "compose", "write \"worst\", \"sum\" or \"product\"");
}

static void read_optimizer(struct assembly_reader *r, const struct xml_element *root)
{
    const struct xml_element *e = xml_next(root, NULL, "optimizer");
    const char *steps, *dot;

    r->a->alpha = r->a->beta = PORTOLAN_ASSEMBLY_PRUNING;
    if (!e)
        return;
    assembly_read_double(r, e, "alpha", &r->a->alpha);
    assembly_read_double(r, e, "beta", &r->a->beta);
    assembly_read_double(r, e, "epsilon", &r->a->epsilon);
    assembly_read_double(r, e, "accuracy", &r->a->accuracy);
    assembly_read_double(r, e, "memory", &r->a->memory);
    read_composition(r, e);
    if (!(steps = xml_value(e, "steps")))
        return;
    dot = strchr(steps, '.');
    if (!dot || dot == steps || !dot[1]) {
        xml_complain(r->d, e, "steps", "'steps' must have the form INSTANCE.PARAMETER");
        return;
    }
    r->a->steps_instance = portolan_arena_strndup(r->arena, steps, (size_t)(dot - steps));
    r->a->steps_parameter = dot + 1;
    r->a->steps_line = e->line;
}

static void read_go(struct assembly_reader *r, const struct xml_element *root)
{
    const struct xml_element *e = xml_next(root, NULL, "go");

    if (!e)
        return;
    assembly_require_text(r, e);
    r->a->go = (struct portolan_assembly_connection){.user = "",
                                                     .uses = "go",
                                                     .provider = xml_value(e, "instance"),
                                                     .provides = xml_value(e, "port"),
                                                     .line = e->line};
}

static void read_paths(struct assembly_reader *r, const struct xml_element *root)
{
    size_t count = xml_count(root, "path");
    int *lines = portolan_arena_alloc(r->arena, count, sizeof *lines);

    r->a->paths = portolan_arena_alloc(r->arena, count, sizeof *r->a->paths);
    r->a->path_lines = lines;
    for (const struct xml_element *e = NULL;
         !r->arena->failed && (e = xml_next(root, e, "path"));) {
        const char *dir = xml_value(e, "dir");

        assembly_require_text(r, e);
        lines[r->a->n_paths] = e->line;
        r->a->paths[r->a->n_paths++] = *dir == '/' || strchr(r->a->file, '/')
                                           ? assembly_beside(r->a, r->arena, dir)
                                           : portolan_arena_printf(r->arena, "./%s", dir);
    }
}

static void read_tree(struct assembly_reader *r, const struct xml_element *root)
{
    const struct xml_element *paradigm;

    xml_check(root, &assembly_rule, r->d);
    if (r->d->count)
        return; /* what is misspelt would be reported as missing below, too */
    r->a->name = xml_value(root, "name");
    r->a->purpose = "run";
    assembly_require_text(r, root);
    read_paths(r, root);
    assembly_read_instances(r, root);
    if (xml_next(root, NULL, "program"))
        assembly_read_program(r, root);
    else
        assembly_refuse_words(r, root);
    read_connections(r, root);
    read_go(r, root);
    if (r->arena->failed)
        return;
    read_monitors(r, root);
    read_pairs(r, root);
    for (const struct xml_element *e = NULL; (e = xml_next(root, e, "data"));) {
        assembly_require_text(r, e);
        for (const struct xml_element *c = e->children; c; c = c->next)
            assembly_require_text(r, c);
    }
    assembly_read_data(r->a, r->arena, root, r->d);
    if ((paradigm = xml_next(root, NULL, "paradigm")))
        assembly_read_paradigm(r->a, r->arena, paradigm, r->d);
    read_sweep(r, root);
    read_optimizer(r, root);
    if (!r->arena->failed && !r->d->count)
        assembly_check_references(r->a, r->d);
    if (!r->arena->failed && !r->d->count && r->a->program)
        assembly_finish_program(r);
}

/* A paradigm as the only content of a file. */
static void read_paradigm(struct assembly_reader *r, const struct xml_element *root)
{
    xml_check(root, &paradigm_rule, r->d);
    if (r->d->count)
        return;
    r->a->name = xml_value(root, "name");
    assembly_read_paradigm(r->a, r->arena, root, r->d);
}

/* Reads from memory when TEXT is not NULL, else from FILE; READ_ROOT makes the assembly of it. */
static enum portolan_status read_any(const char *text, size_t size, const char *file,
                                     void (*read_root)(struct assembly_reader *,
                                                       const struct xml_element *),
                                     struct portolan_diagnostics *user,
                                     struct portolan_assembly **a, struct portolan_error *err)
{
    struct portolan_diagnostics_relay relay = {user, err};
    struct portolan_diagnostics d = {portolan_diagnostics_relay, &relay, 0};
    struct portolan_arena arena = {0};
    struct assembly_impl *impl;
    struct assembly_reader r = {.arena = &arena, .d = &d};
    struct xml_element *root;
    enum portolan_status status = PORTOLAN_ENOMEM;

    *a = NULL;
    r.a = portolan_arena_alloc(&arena, 1, sizeof *r.a);
    impl = portolan_arena_alloc(&arena, 1, sizeof *impl);
    if (r.a && impl && (r.a->file = portolan_arena_strdup(&arena, file)))
        status = text ? xml_read_text(&arena, text, size, r.a->file, XML_PLAIN, &d, &root, err)
                      : xml_read_file(&arena, r.a->file, XML_PLAIN, &d, &root, err);
    if (status == PORTOLAN_OK) {
        read_root(&r, root);
        status = arena.failed ? PORTOLAN_ENOMEM : d.count ? PORTOLAN_ESYNTAX : PORTOLAN_OK;
    }
    if (status != PORTOLAN_OK) {
        portolan_arena_clear(&arena);
        return portolan_error_set(err, status, "%s: %s", file, portolan_status_text(status));
    }
    impl->arena = arena;
    r.a->impl = impl;
    *a = r.a;
    return PORTOLAN_OK;
}

enum portolan_status portolan_assembly_read_text(const char *text, size_t size, const char *file,
                                                 struct portolan_diagnostics *d,
                                                 struct portolan_assembly **a,
                                                 struct portolan_error *err)
{
    return read_any(text, size, file, read_tree, d, a, err);
}

bool portolan_assembly_is_one(const char *file)
{
    char text[4096] = "", *at = text;
    FILE *f = fopen(file, "re");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;

    if (f)
        fclose(f);
    text[n] = 0;
    while ((at = strchr(at, '<')) && (at[1] == '?' || at[1] == '!')) {
        char *end = strncmp(at, "<!--", 4) ? at + 1 : strstr(at + 4, "-->");

        at = end ? end : at + 1;
    }
    return at && !strncmp(at, "<assembly", 9) && strchr(" \t\r\n>/", at[9]);
}

enum portolan_status portolan_assembly_read(const char *file, struct portolan_diagnostics *d,
                                            struct portolan_assembly **a,
                                            struct portolan_error *err)
{
    return read_any(NULL, 0, file, read_tree, d, a, err);
}

enum portolan_status portolan_paradigm_read(const char *file, struct portolan_diagnostics *d,
                                            struct portolan_assembly **a,
                                            struct portolan_error *err)
{
    return read_any(NULL, 0, file, read_paradigm, d, a, err);
}
