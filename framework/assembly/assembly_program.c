/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads, checks and writes <program>, and the values of its options. */
#include "assembly.h"
#include "value.h"

#include <portolan/options.h>

#include <portolan/list.h>

#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

enum { MOST_VALUES = 1000 };

static const struct xml_rule parameter = {.name = "parameter",
                                          .required = XML_WORDS("name", "type", "value")};
static const struct xml_rule accuracy = {
    .name = "accuracy", .required = XML_WORDS("match"), .once = true};
static const struct xml_rule timed = {.name = "time", .required = XML_WORDS("match"), .once = true};
static const struct xml_rule failed = {.name = "failed", .required = XML_WORDS("match")};
static const struct xml_rule context = {.name = "context", .required = XML_WORDS("name", "match")};
static const struct xml_rule file = {.name = "file", .required = XML_WORDS("template", "as")};
static const struct xml_rule variable = {.name = "env", .required = XML_WORDS("name", "value")};
const struct xml_rule program_rule = {
    .name = "program",
    .required = XML_WORDS("name", "command"),
    .optional = XML_WORDS("timeout", "memory", "ranks", "status", "store"),
    .children = XML_RULES(&parameter, &accuracy, &timed, &failed, &context, &file, &variable),
    .once = true};

/* ------------------------------------------------------------------ reading */

/* POSIX has no \d, which users write. */
static const char *translate(struct portolan_arena *arena, const char *regex)
{
    struct portolan_text t = {.arena = arena};

    for (const char *at = regex; *at; at++) {
        if (at[0] == '\\' && at[1] == 'd')
            portolan_text_add(&t, "[0-9]");
        else
            portolan_text_add_bytes(&t, at, at[0] == '\\' && at[1] ? 2 : 1);
        at += at[0] == '\\' && at[1];
    }
    return t.bytes ? t.bytes : regex;
}

static void read_match(struct assembly_reader *r, const struct xml_element *e, bool needs_group,
                       struct portolan_assembly_match *m)
{
    char text[200];
    regex_t regex;
    int error;

    assembly_require_text(r, e);
    *m = (struct portolan_assembly_match){xml_value(e, "name"),
                                          translate(r->arena, xml_value(e, "match")), e->line};
    if ((error = regcomp(&regex, m->regex, REG_EXTENDED))) {
        regerror(error, &regex, text, sizeof text);
        xml_complain(r->d, e, "match", "'%.100s' is no regular expression: %s",
                     xml_value(e, "match"), text);
        return;
    }
    if (needs_group && !regex.re_nsub)
        xml_complain(r->d, e, "match",
                     "'%.100s' has no group in parentheses for the number, as in "
                     "'residual ([0-9.eE+-]+)'",
                     xml_value(e, "match"));
    regfree(&regex);
}

static size_t read_matches(struct assembly_reader *r, const struct xml_element *root,
                           const char *name, bool needs_group,
                           struct portolan_assembly_match **list)
{
    size_t n = 0;

    *list = portolan_arena_alloc(r->arena, xml_count(root, name), sizeof **list);
    for (const struct xml_element *e = NULL; *list && (e = xml_next(root, e, name));)
        read_match(r, e, needs_group, &(*list)[n++]);
    return n;
}

/* Memory as "512M": bytes, with K, M, G or T. */
static void read_bytes(struct assembly_reader *r, const struct xml_element *e, double *bytes)
{
    const char *text = xml_value(e, "memory");
    static const char units[] = "KMGT";
    char unit = '\0', rest;
    int n = text ? sscanf(text, "%lf%c%c", bytes, &unit, &rest) : 0;
    const char *at = n == 2 ? strchr(units, unit) : NULL;

    if (!text)
        return;
    if (n < 1 || n > 2 || (n == 2 && !at) || !(*bytes > 0))
        xml_complain(r->d, e, "memory", "'memory' is '%.100s'; write bytes, as in \"4G\"", text);
    if (at)
        *bytes *= pow(1024, (double)(at - units + 1));
}

static void read_count(struct assembly_reader *r, const struct xml_element *e,
                       const char *attribute, int least, int *count)
{
    const char *text = xml_value(e, attribute);
    int64_t n = *count;

    if (text && (!portolan_read_int64(text, &n) || n < least || n > 1000000))
        xml_complain(r->d, e, attribute, "'%s' is '%.100s'; it must be a whole number, at least %d",
                     attribute, text, least);
    *count = (int)n;
}

static void read_templates(struct assembly_reader *r, const struct xml_element *root)
{
    struct portolan_assembly_program *p = r->a->program;
    struct portolan_error err = {0};

    p->files = portolan_arena_alloc(r->arena, xml_count(root, "file"), sizeof *p->files);
    p->variables = portolan_arena_alloc(r->arena, xml_count(root, "env"), sizeof *p->variables);
    for (const struct xml_element *e = NULL; p->files && (e = xml_next(root, e, "file"));) {
        struct portolan_text bytes = {.arena = r->arena};
        const char *path = assembly_beside(r->a, r->arena, xml_value(e, "template"));

        assembly_require_text(r, e);
        if (*xml_value(e, "as") == '/' || strstr(xml_value(e, "as"), ".."))
            xml_complain(r->d, e, "as", "'%.100s' must be a file in the folder of the trial",
                         xml_value(e, "as"));
        if (path && xml_read_bytes(path, &bytes, &err) == PORTOLAN_EIO)
            xml_complain(r->d, e, "template", "%s", err.text);
        p->files[p->n_files++] = (struct portolan_assembly_template){
            xml_value(e, "as"), bytes.bytes ? bytes.bytes : "", xml_value(e, "template"), e->line};
    }
    for (const struct xml_element *e = NULL; p->variables && (e = xml_next(root, e, "env"));)
        p->variables[p->n_variables++] = (struct portolan_assembly_template){
            xml_value(e, "name"), xml_value(e, "value"), NULL, e->line};
}

/* ------------------------------------------------------------------ options */

static bool is_number(const char *text)
{
    double ignored;

    return text && portolan_read_double(text, &ignored);
}

/* The words of a value: "{value}" in those of the option stands for it. */
static const char *words_for(struct assembly_reader *r, const char *words, const char *value)
{
    struct portolan_text t = {.arena = r->arena};
    const char *at = words, *next;

    while (at && (next = strstr(at, "{value}"))) {
        portolan_text_add(&t, "%.*s%s", (int)(next - at), at, value);
        at = next + strlen("{value}");
    }
    if (at)
        portolan_text_add(&t, "%s", at);
    return t.bytes ? t.bytes : words;
}

/* Makes the values of an option FROM … TO, BY a step or TIMES a factor. */
static void read_range(struct assembly_reader *r, const struct xml_element *e,
                       struct portolan_assembly_instance *x)
{
    const struct portolan_assembly_alternative written = x->alternatives[0];
    double from = 0, to = 0, by = 0, times = 0, value;
    bool found = false;

    if (!is_number(xml_value(e, "from")) || !is_number(xml_value(e, "to")) ||
        is_number(xml_value(e, "by")) == is_number(xml_value(e, "times")) ||
        x->n_alternatives > 1) {
        xml_complain(r->d, e, "from",
                     "an option of numbers has 'from', 'to' and either 'by' or 'times', and no "
                     "<alternative>");
        return;
    }
    portolan_read_double(xml_value(e, "from"), &from);
    portolan_read_double(xml_value(e, "to"), &to);
    if (!portolan_read_double(xml_value(e, "by"), &by))
        portolan_read_double(xml_value(e, "times"), &times);
    if (from > to || !(by > 0 || (times > 1 && from > 0)) ||
        (by > 0 ? (to - from) / by : log(to / from) / log(times)) >= MOST_VALUES) {
        xml_complain(r->d, e, "from", "from %s to %s are not 1 to %d values", xml_value(e, "from"),
                     xml_value(e, "to"), (int)MOST_VALUES);
        return;
    }
    x->n_alternatives = 0;
    x->alternatives = NULL;
    for (size_t k = 0; !r->arena->failed; k++) {
        struct portolan_assembly_alternative one = written;

        value = by > 0 ? from + (double)k * by : from * pow(times, (double)k);
        if (value > to * (1 + 1e-12) + 1e-12 * by)
            break;
        one.class_name = portolan_arena_printf(r->arena, "%.12g", value);
        one.words = one.class_name ? words_for(r, written.words, one.class_name) : NULL;
        if (one.class_name && !strcmp(one.class_name, written.class_name)) {
            found = true;
            x->selected = x->n_alternatives;
        }
        portolan_arena_append(r->arena, &x->alternatives, &x->n_alternatives, &one, sizeof one);
    }
    if (!found)
        xml_complain(r->d, e, "class", "'%.100s' is none of the values from %s to %s",
                     written.class_name, xml_value(e, "from"), xml_value(e, "to"));
}

static void read_option(struct assembly_reader *r, const struct xml_element *e,
                        struct portolan_assembly_instance *x)
{
    const char *shared = xml_value(e, "words");

    if (xml_value(e, "from") || xml_value(e, "to") || xml_value(e, "by") || xml_value(e, "times"))
        read_range(r, e, x);
    for (size_t k = 0; k < x->n_alternatives; k++) {
        struct portolan_assembly_alternative *y = &x->alternatives[k];

        if (y->n_parameters || y->n_configures || y->n_models || y->n_layouts || y->memory)
            portolan_diagnose(r->d, r->a->file, y->line, 0,
                              "a value of option '%s' has words and conditions, nothing else",
                              x->name);
        if (strpbrk(y->class_name, " \t\r\n"))
            portolan_diagnose(r->d, r->a->file, y->line, 0,
                              "value '%s' of option '%s' has blanks; name it by 'class', and "
                              "state its 'words'",
                              y->class_name, x->name);
        if (!y->words && shared && strstr(shared, "{value}"))
            y->words = words_for(r, shared, y->class_name);
        else if (y->words && strstr(y->words, "{value}"))
            y->words = words_for(r, y->words, y->class_name);
    }
}

/* ------------------------------------------------------------------ checks */

struct place_check {
    struct assembly_reader *r;
    int line;
    const char *where;
    const char *own; /* the option whose words are checked; NULL: none */
};

static void check_place(void *arg, const char *name, size_t length)
{
    const struct place_check *c = arg;
    struct assembly_reader *r = c->r;
    struct portolan_assembly_program *p = r->a->program;
    const struct portolan_assembly_alternative *base = r->a->instances[0].alternatives;
    const char *text = portolan_arena_strndup(r->arena, name, length), *near = NULL;

    for (size_t k = 0; text && k < p->n_options; k++) {
        near = nearer_word(text, near, p->options[k].name);
        if (!strcmp(p->options[k].name, text)) {
            if (c->own && !strcmp(c->own, text))
                portolan_diagnose(r->d, r->a->file, c->line, 0,
                                  "the words of option '%s' have the option itself; {value} stands "
                                  "for its value",
                                  text);
            p->is_placed[k] = true;
            return;
        }
    }
    for (size_t k = 0; text && k < base->n_parameters; k++) {
        near = nearer_word(text, near, base->parameters[k].name);
        if (!strcmp(base->parameters[k].name, text))
            return;
    }
    if (text)
        portolan_diagnose(r->d, r->a->file, c->line, 0,
                          "'{%s}' in %s is neither an option nor a parameter of the program; add "
                          "<parameter name=\"%s\" … value=…/>%s",
                          text, c->where, text, portolan_did_you_mean(near).text);
}

/* Also notes which options have a place. */
static void check_places(struct assembly_reader *r)
{
    struct portolan_assembly_program *p = r->a->program;

    assembly_visit_places(p->command, check_place,
                          &(struct place_check){r, p->line, "the command", NULL});
    for (size_t i = 0; i < p->n_files; i++)
        for (size_t k = 0; k < p->n_options; k++) { /* other braces are the file's own */
            const char *place = portolan_arena_printf(r->arena, "{%s}", p->options[k].name);

            p->is_placed[k] = p->is_placed[k] || (place && strstr(p->files[i].text, place));
        }
    for (size_t i = 0; i < p->n_variables; i++)
        assembly_visit_places(p->variables[i].text, check_place,
                              &(struct place_check){r, p->variables[i].line, "<env>", NULL});
    for (size_t k = 0; k < p->n_options; k++)
        for (size_t v = 0; v < p->options[k].n_alternatives; v++)
            assembly_visit_places(p->options[k].alternatives[v].words, check_place,
                                  &(struct place_check){r, p->options[k].alternatives[v].line,
                                                        "the words", p->options[k].name});
}

/* A value without words stands for itself where its option has a place. */
static void check_words(struct assembly_reader *r, size_t k)
{
    const struct portolan_assembly_instance *x = &r->a->program->options[k];
    bool has_words = false;

    for (size_t v = 0; v < x->n_alternatives; v++) {
        has_words = has_words || (x->alternatives[v].words && *x->alternatives[v].words);
        if (!x->alternatives[v].words)
            x->alternatives[v].words =
                r->a->program->is_placed[k] ? x->alternatives[v].class_name : "";
    }
    if (!has_words && !r->a->program->is_placed[k])
        portolan_diagnose(r->d, r->a->file, x->line, 0,
                          "the words of option '%s' appear nowhere: give its values 'words', or "
                          "write {%s} in the command",
                          x->name, x->name);
}

static void check_apart(struct assembly_reader *r)
{
    const struct portolan_assembly *a = r->a;
    struct portolan_assembly_program *p = a->program;

    if (a->n_connections || a->go.provider || a->n_pairs || a->n_data || a->paradigm ||
        a->steps_instance)
        portolan_diagnose(r->d, a->file, p->line, 0,
                          "an assembly has components or a <program>: with it there is no "
                          "<connect>, <go>, <pair>, <data>, <paradigm> or 'steps'");
    for (size_t k = 0; k < p->n_options; k++)
        for (size_t j = 0; j <= k; j++)
            if (!strcmp(p->options[k].name, j < k ? p->options[j].name : p->name))
                portolan_diagnose(r->d, a->file, p->options[k].line, 0, "second '%s'",
                                  p->options[k].name);
}

/* ------------------------------------------------------------------ the whole */

/* The program becomes the only instance; its parameters are those of <program>. */
static void make_instance(struct assembly_reader *r, const struct xml_element *e)
{
    struct portolan_assembly_instance *i = portolan_arena_alloc(r->arena, 1, sizeof *i);
    struct portolan_assembly_alternative *x = portolan_arena_alloc(r->arena, 1, sizeof *x);
    size_t n = xml_count(e, "parameter");

    if (!i || !x || !(x->parameters = portolan_arena_alloc(r->arena, n + 1, sizeof *x->parameters)))
        return;
    *i = (struct portolan_assembly_instance){
        .name = r->a->program->name, .n_alternatives = 1, .alternatives = x, .line = e->line};
    x->class_name = r->a->program->name;
    x->line = e->line;
    for (const struct xml_element *c = NULL; (c = xml_next(e, c, "parameter"));)
        assembly_read_parameter(r, c, &x->parameters[x->n_parameters++]);
    x->parameters[x->n_parameters++] = (struct portolan_assembly_parameter){
        .name = "command", .type = PORTOLAN_VALUE_STRING, .text = "", .line = e->line};
    r->a->instances = i;
    r->a->n_instances = 1;
}

void assembly_read_program(struct assembly_reader *r, const struct xml_element *root)
{
    const struct xml_element *e = xml_next(root, NULL, "program"), *x = NULL;
    struct portolan_assembly_program *p = portolan_arena_alloc(r->arena, 1, sizeof *p);

    if (!p || r->arena->failed)
        return;
    r->a->program = p;
    assembly_require_text(r, e);
    *p = (struct portolan_assembly_program){.name = xml_value(e, "name"),
                                            .command = xml_value(e, "command"),
                                            .store = xml_value(e, "store"),
                                            .ranks = 1,
                                            .n_options = r->a->n_instances,
                                            .options = r->a->instances,
                                            .line = e->line};
    p->store = p->store ? p->store : "portolan.db";
    assembly_read_double(r, e, "timeout", &p->timeout_s);
    read_bytes(r, e, &p->memory);
    read_count(r, e, "ranks", 1, &p->ranks);
    read_count(r, e, "status", 0, &p->status);
    for (size_t k = 0; k < p->n_options && (x = xml_next(root, x, "instance")); k++)
        read_option(r, x, &p->options[k]);
    if (xml_next(e, NULL, "accuracy"))
        read_match(r, xml_next(e, NULL, "accuracy"), true, &p->accuracy);
    if (xml_next(e, NULL, "time"))
        read_match(r, xml_next(e, NULL, "time"), true, &p->time);
    p->n_failed = read_matches(r, e, "failed", false, &p->failed);
    p->n_contexts = read_matches(r, e, "context", true, &p->contexts);
    read_templates(r, e);
    make_instance(r, e);
    p->is_placed = portolan_arena_alloc(r->arena, p->n_options, sizeof *p->is_placed);
    if (r->arena->failed)
        return;
    check_places(r);
    for (size_t k = 0; k < p->n_options; k++)
        check_words(r, k);
}

void assembly_finish_program(struct assembly_reader *r)
{
    struct portolan_error err = {0};

    check_apart(r);
    if (!r->d->count && assembly_settle_options(r->a, r->arena, &err) == PORTOLAN_EINFEASIBLE)
        portolan_diagnose(r->d, r->a->file, r->a->program->line, 0, "%s",
                          strchr(err.text, ' ') + 1);
    r->arena->failed = r->arena->failed || err.status == PORTOLAN_ENOMEM;
}

void assembly_refuse_words(struct assembly_reader *r, const struct xml_element *root)
{
    for (const struct xml_element *e = NULL; (e = xml_next(root, e, "instance"));) {
        if (xml_value(e, "words") || xml_value(e, "from"))
            xml_complain(r->d, e, xml_value(e, "words") ? "words" : "from",
                         "this is for options of a <program>, of which the assembly has none");
        for (const struct xml_element *c = NULL; (c = xml_next(e, c, "alternative"));)
            if (xml_value(c, "words"))
                xml_complain(r->d, c, "words",
                             "this is for options of a <program>, of which the assembly has none");
    }
}

/* ------------------------------------------------------------------ writing */

static void write_match(struct portolan_text *b, const char *element,
                        const struct portolan_assembly_match *m)
{
    if (!m->regex)
        return;
    xml_add_start(b, "    ", element, "name", m->name, "match", m->regex, NULL);
    portolan_text_add(b, "/>\n");
}

static void write_option(struct portolan_text *b, const struct portolan_assembly_instance *x)
{
    for (size_t n = 0; n < x->n_alternatives; n++) {
        /* The value as written is first; a file states it in the element itself. */
        size_t k = n ? n - (n <= x->selected) : x->selected;
        const struct portolan_assembly_alternative *y = &x->alternatives[k];

        if (!n)
            xml_add_start(b, "  ", "instance", "name", x->name, "class", y->class_name, NULL);
        else
            xml_add_start(b, "    ", "alternative", "class", y->class_name, NULL);
        xml_add_attribute(b, "words", y->words);
        if (!n) {
            portolan_text_add(b, ">\n");
            xml_add_start(b, "    ", "alternative", "class", y->class_name, NULL);
            xml_add_attribute(b, "words", y->words);
        }
        xml_add_attribute(b, "pin", y->is_pinned ? "yes" : NULL);
        xml_add_attribute(b, "forbid", y->is_forbidden ? "yes" : NULL);
        if (y->applies_stated) {
            portolan_text_add(b, ">\n");
            xml_add_start(b, "      ", "applies", "if", y->applies_stated, NULL);
            portolan_text_add(b, "/>\n    </alternative>\n");
        } else {
            portolan_text_add(b, "/>\n");
        }
    }
    portolan_text_add(b, "  </instance>\n");
}

void assembly_write_program(struct portolan_text *b, const struct portolan_assembly *a)
{
    const struct portolan_assembly_program *p = a->program;
    const struct portolan_assembly_alternative *base = a->instances[0].alternatives;

    xml_add_start(b, "  ", "program", "name", p->name, "command", p->command, "store", p->store,
                  NULL);
    if (p->timeout_s > 0)
        xml_add_number(b, "timeout", p->timeout_s);
    if (p->memory > 0)
        portolan_text_add(b, " memory=\"%.0f\"", p->memory);
    portolan_text_add(b, " ranks=\"%d\" status=\"%d\">\n", p->ranks, p->status);
    for (size_t i = 0; i + 1 < base->n_parameters; i++) {
        xml_add_start(b, "    ", "parameter", "name", base->parameters[i].name, "type",
                      value_type_word(base->parameters[i].type, base->parameters[i].is_array),
                      NULL);
        xml_add_attribute(b, "value", base->parameters[i].text);
        portolan_text_add(b, "/>\n");
    }
    write_match(b, "accuracy", &p->accuracy);
    write_match(b, "time", &p->time);
    for (size_t i = 0; i < p->n_failed; i++)
        write_match(b, "failed", &p->failed[i]);
    for (size_t i = 0; i < p->n_contexts; i++)
        write_match(b, "context", &p->contexts[i]);
    for (size_t i = 0; i < p->n_files; i++) {
        xml_add_start(b, "    ", "file", "template", p->files[i].file, "as", p->files[i].name,
                      NULL);
        portolan_text_add(b, "/>\n");
    }
    for (size_t i = 0; i < p->n_variables; i++) {
        xml_add_start(b, "    ", "env", "name", p->variables[i].name, NULL);
        xml_add_attribute(b, "value", p->variables[i].text);
        portolan_text_add(b, "/>\n");
    }
    portolan_text_add(b, "  </program>\n");
    for (size_t k = 0; k < p->n_options; k++)
        write_option(b, &p->options[k]);
}

const char *portolan_options_next_word(struct portolan_arena *arena, const char **at)
{
    static const char blanks[] = " \t\r\n";
    struct portolan_text t = {.arena = arena};
    char quote = 0;
    const char *p = *at + strspn(*at, blanks);

    if (!*p)
        return NULL;
    portolan_text_add(&t, "%s", "");
    for (; *p && (quote || !strchr(blanks, *p)); p++) {
        if (quote ? *p == quote : *p == '\'' || *p == '"') {
            quote = quote ? 0 : *p;
            continue;
        }
        p += *p == '\\' && quote != '\'' && p[1];
        portolan_text_add_bytes(&t, p, 1);
    }
    *at = p;
    return t.failed ? NULL : t.bytes ? t.bytes : portolan_arena_strdup(arena, "");
}
