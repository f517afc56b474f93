/* SPDX-License-Identifier: BSD-3-Clause */
/* The text that replaces pragmas, its indentation, and the text that results from all edits. */
#include "internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------- blanks */

static size_t line_start(const struct source *s, size_t at)
{
    return s->lines[source_place(s, at).line - 1];
}

static size_t blanks_at(const struct source *s, size_t at)
{
    size_t n = 0;

    while (s->text[at + n] == ' ' || s->text[at + n] == '\t')
        n++;
    return n;
}

/* Is the pragma the first on its line? */
static bool begins_line(const struct source *s, const struct directive *d)
{
    size_t line = line_start(s, d->start);

    return line + blanks_at(s, line) == d->start;
}

/*
 * The indentation of the code around the pragma, for a pragma that has none; an end takes that of
 * its begin.
 */
static const char *code_indent(struct translation *t, const struct directive *d)
{
    const struct source *s = &t->source;
    bool is_end = d->kind == DIRECTIVE_END || d->kind == DIRECTIVE_END_FOR;
    const struct directive *at = is_end && begins_line(s, d->partner) ? d->partner : d;
    size_t before = source_previous(s, at->start), code = source_next(s, at->end), line;

    if (at != d && line_start(s, at->start) != at->start)
        code = at->start;
    else if (before && ((is_end && at == d) || s->text[code] == '}') && s->text[before - 1] != '{')
        code = before - 1;
    line = line_start(s, code);
    return portolan_libclang_print(&t->arena, "%.*s", (int)blanks_at(s, line), s->text + line);
}

/* Returns the text before the pragma on its line, if that is only blanks; else "". */
static const char *indent_own(struct translation *t, const struct directive *d)
{
    const struct source *s = &t->source;
    size_t line = line_start(s, d->start);

    if (!begins_line(s, d))
        return "";
    return portolan_libclang_print(&t->arena, "%.*s", (int)(d->start - line), s->text + line);
}

/* Blanks to insert before the text that replaces the pragma. */
static const char *indent_added(struct translation *t, const struct directive *d)
{
    return line_start(&t->source, d->start) == d->start ? code_indent(t, d) : "";
}

/* ------------------------------------------------------------------ bodies of sweeps */

/* How far the lines of the sweep are indented; "" where the author did so. */
static const char *step_of(struct translation *t, const struct directive *sweep)
{
    const struct source *s = &t->source;
    const char *loop = *indent_own(t, sweep) ? indent_own(t, sweep) : code_indent(t, sweep);
    size_t line = line_start(s, source_next(s, sweep->end));

    if (line > sweep->start && blanks_at(s, line) > strlen(loop))
        return "";
    return strchr(loop, '\t') ? "\t" : "    ";
}

/* The indentation that the sweeps around AT add to a line. */
static const char *indent_of_sweeps(struct translation *t, size_t at)
{
    const char *text = "";

    for (size_t i = 0; i < t->n_directives; i++) {
        const struct directive *d = &t->directives[i];

        if (d->kind == DIRECTIVE_FOR && d->end <= at && at < d->partner->start)
            text = portolan_libclang_print(&t->arena, "%s%s", text, step_of(t, d));
    }
    return text;
}

static bool is_ours(const struct translation *t, size_t at)
{
    for (size_t i = 0; i < t->n_directives; i++)
        if (t->directives[i].start == at)
            return true;
    return false;
}

/* A line after a backslash must not move, because blanks change its meaning; nor may directives. */
static bool can_move(const struct translation *t, size_t line, size_t first)
{
    const struct source *s = &t->source;
    size_t end = line - 1; /* end of the line before */

    if (end && s->text[end - 1] == '\r')
        end--;
    if (strchr("\r\n", s->text[first]) || s->kind[line - 1] == SOURCE_DIRECTIVE ||
        (end && s->text[end - 1] == '\\'))
        return false;
    return s->text[first] != '#' || s->kind[first] != SOURCE_DIRECTIVE || is_ours(t, first);
}

void indent_sweeps(struct translation *t)
{
    const struct source *s = &t->source;

    for (size_t i = 1; i < s->n_lines; i++) {
        size_t first = s->lines[i] + blanks_at(s, s->lines[i]);
        const char *text = can_move(t, s->lines[i], first) ? indent_of_sweeps(t, first) : "";

        if (*text)
            edit_add(t, s->lines[i], 0, "", text);
    }
}

enum { WIDTH = 100 };

void edit_add(struct translation *t, size_t at, size_t length, const char *probe, const char *text)
{
    const struct edit edit = {at, length, text, probe, t->n_edits};

    portolan_arena_append(&t->arena, &t->edits, &t->n_edits, &edit, sizeof edit);
}

/* ------------------------------------------------------------------ probes */

static void add_probe(struct translation *t, struct portolan_text *out, size_t at, const char *name,
                      const char *what, const char *code)
{
    const struct probe probe = {.place = source_place(&t->source, at), .name = name, .what = what};
    size_t number = t->n_probes;

    if (!portolan_arena_append(&t->arena, &t->probes, &t->n_probes, &probe, sizeof probe))
        return;
    portolan_text_add(out, "\n#line 1 \"portolan-call-probe:%zu\"\n", number);
    portolan_text_add(out, code, name, number);
}

/* The position of NAME in the formula; blanks may surround its dots. */
static size_t name_at(const struct words *formula, const char *name)
{
    const char *text = formula->text;

    for (size_t i = 0; text[i]; i++) {
        size_t k = i, n = 0;

        if (i && (isalnum((unsigned char)text[i - 1]) || strchr("_.>", text[i - 1])))
            continue;
        while (name[n] && (text[k] == name[n] || isspace((unsigned char)text[k])))
            n += text[k++] == name[n];
        if (!name[n] && n && !isalnum((unsigned char)text[k]) && text[k] != '_' &&
            text[k + strspn(text + k, " \t")] != '[')
            return formula->at + i;
    }
    return formula->at;
}

/* Probes the names in the formula: what are they at this place? */
static void probe_names(struct translation *t, const struct directive *d, struct portolan_text *out)
{
    const struct experiment *e = d->experiment;
    const struct words *where = d->formula.text ? &d->formula : &d->name;

    for (size_t i = 0; e->formula && i < portolan_formula_n_names(e->formula); i++) {
        const char *name = portolan_formula_peek_name(e->formula, i);

        add_probe(t, out, d->formula.text ? name_at(where, name) : where->at, name, NULL,
                  "{ __typeof__((0, (%s))) *portolan_cll_probe_%zu; }");
    }
}

/* Probes the machine or argument that is passed to the driver, if it is used. */
static void probe_machine(struct translation *t, const struct directive *d,
                          struct portolan_text *out)
{
    static const char any[] = "{ (void)(%s); }";
    static const char pointer[] = "{ const volatile void *portolan_cll_pointer = (%s); }";
    const char *how = t->driver->is_pointer ? pointer : any;
    bool is_own = d->is_synchronised && d->argument.text;

    if (is_own && (t->driver->is_pointer || t->driver->is_communicator))
        add_probe(t, out, d->argument.at, d->argument.text, "argument of sync", how);
    else if (!is_own && t->parallel && t->parallel->argument.text)
        add_probe(t, out, d->start, t->parallel->argument.text, "machine of the parallel pragma",
                  how);
}

static const char *probes_of(struct translation *t, const struct directive *d)
{
    struct portolan_text out = {.arena = &t->arena};

    if (d->kind == DIRECTIVE_BEGIN)
        probe_names(t, d, &out);
    if (d->kind == DIRECTIVE_REPORT || d->is_synchronised)
        probe_machine(t, d, &out);
    if (!out.length)
        return NULL;
    portolan_text_add(&out, "\n#line %d \"%s\"\n%s", line_of(t, d), emit_quoted(t, t->source.file),
                      d->kind == DIRECTIVE_BEGIN ? "portolan_cll_begin(NULL, NULL);" : ";");
    return out.bytes;
}

/* ------------------------------------------------------------------ calls */

/* A machine, or the argument of sync, in the form that the driver expects. */
static const char *handle(struct translation *t, const struct words *w)
{
    if (!w || !w->text)
        return "NULL";
    return portolan_libclang_print(&t->arena, t->driver->is_communicator ? "&(MPI_Comm){%s}" : "%s",
                                   w->text);
}

static const char *machine(struct translation *t)
{
    return handle(t, t->parallel ? &t->parallel->argument : NULL);
}

static void add_sync(struct translation *t, const struct directive *d, struct portolan_text *out)
{
    bool takes = t->driver->is_pointer || t->driver->is_communicator;
    bool is_own = takes && d->argument.text;

    portolan_text_add(out, "portolan_cll_sync(&%s, %s, %s);", t->driver->symbol,
                      is_own ? "NULL" : machine(t), handle(t, is_own ? &d->argument : NULL));
}

/* Adds the names' values, in lines of at most WIDTH. */
static void add_values(const struct experiment *e, const char *indent, size_t column,
                       struct portolan_text *out)
{
    portolan_text_add(out, "(const double[]){");
    column += out->length;
    for (size_t i = 0; i < portolan_formula_n_names(e->formula); i++) {
        const char *name = portolan_formula_peek_name(e->formula, i);
        size_t length = strlen(name) + 2;

        if (i && column + length + 3 > WIDTH) {
            portolan_text_add(out, ",\n%s    ", indent);
            column = strlen(indent) + 4;
        } else if (i) {
            portolan_text_add(out, ", ");
        }
        portolan_text_add(out, "%s", name);
        column += length;
    }
    portolan_text_add(out, "}");
}

static const char *begin_text(struct translation *t, const struct directive *d, const char *indent)
{
    struct portolan_text sync = {.arena = &t->arena}, begin = {.arena = &t->arena};
    const struct experiment *e = d->experiment;
    bool fits;

    portolan_text_add(&begin, "portolan_cll_begin(&%s, ", e->symbol);
    if (e->formula && portolan_formula_n_names(e->formula))
        add_values(e, indent, strlen(indent), &begin);
    else
        portolan_text_add(&begin, "NULL");
    portolan_text_add(&begin, ");");
    if (!d->is_synchronised)
        return begin.bytes ? begin.bytes : "";
    add_sync(t, d, &sync);
    fits = strlen(indent) + sync.length + 1 + begin.length <= WIDTH;
    return portolan_libclang_print(&t->arena, "%s%s%s%s", sync.bytes, fits ? " " : "\n",
                                   fits ? "" : indent, begin.bytes);
}

static const char *report_text(struct translation *t, const struct directive *d)
{
    const char *name =
        d->name.text ? portolan_libclang_print(&t->arena, "\"%s\"", d->name.text) : "NULL";

    return portolan_libclang_print(&t->arena, "portolan_cll_report(&%s, %s, \"%s\", %s);",
                                   t->driver->symbol, machine(t), emit_program(t), name);
}

/* Pragmas that produce no code are kept as comments. */
static const char *comment_text(struct translation *t, const struct directive *d)
{
    const char *text = d->text;
    size_t length = strlen(text);

    if (strstr(text, "/*") || strstr(text, "*/") || strchr(text, '\n'))
        return "";
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    text += strspn(text, " \t");
    return portolan_libclang_print(&t->arena, "/* %.*s */",
                                   (int)(length - (size_t)(text - d->text)), text);
}

static const char *text_of(struct translation *t, const struct directive *d, const char *indent)
{
    switch (d->kind) {
    case DIRECTIVE_BEGIN:
        return begin_text(t, d, indent);
    case DIRECTIVE_END:
        return portolan_libclang_print(&t->arena, "portolan_cll_end(&%s);%s",
                                       d->partner->experiment->symbol,
                                       d->partner->is_braced ? " }" : "");
    case DIRECTIVE_FOR:
        return portolan_libclang_print(&t->arena, "for %s {", one_line(t, d->header.text));
    case DIRECTIVE_END_FOR:
        return "}";
    case DIRECTIVE_REPORT:
        return report_text(t, d);
    default:
        return comment_text(t, d);
    }
}

void rewrite_directives(struct translation *t)
{
    for (size_t i = 0; i < t->n_directives; i++) {
        const struct directive *d = &t->directives[i];
        const char *added = indent_added(t, d);
        const char *indent = portolan_libclang_print(
            &t->arena, "%s%s", indent_of_sweeps(t, d->start), *added ? added : indent_own(t, d));
        const char *probes = probes_of(t, d);

        if (d->is_braced) {
            edit_add(t, d->start, 0, NULL, portolan_libclang_print(&t->arena, "%s{ ", added));
            added = "";
        }
        edit_add(t, d->start, d->end - d->start, probes,
                 portolan_libclang_print(&t->arena, "%s%s", added, text_of(t, d, indent)));
    }
}

/* ------------------------------------------------------------------ the text */

static int in_order(const void *a, const void *b)
{
    const struct edit *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static size_t count_lines(const char *text, size_t length)
{
    size_t n = 0;

    for (size_t i = 0; i < length; i++)
        n += text[i] == '\n';
    return n;
}

/* Source text from *AT to END, a #line before its first whole line when *SHIFTED. */
static void copy_source(struct translation *t, size_t *at, size_t end, bool *shifted,
                        struct portolan_text *out)
{
    const char *text = t->source.text, *newline;

    newline = *shifted ? memchr(text + *at, '\n', end - *at) : NULL;
    if (newline) {
        size_t next = (size_t)(newline - text) + 1;

        portolan_text_add_bytes(out, text + *at, next - *at);
        if (next < t->source.size)
            portolan_text_add(out, "#line %d \"%s\"\n", source_place(&t->source, next).line,
                              emit_quoted(t, t->source.file));
        *at = next;
        *shifted = false;
    }
    portolan_text_add_bytes(out, text + *at, end - *at);
    *at = end;
}

void rewrite_apply(struct translation *t, bool probes, struct portolan_text *out)
{
    bool shifted = false;
    size_t at = 0;

    if (t->n_edits)
        qsort(t->edits, t->n_edits, sizeof *t->edits, in_order);
    for (size_t i = 0; i < t->n_edits; i++) {
        const struct edit *e = &t->edits[i];
        const char *text;

        copy_source(t, &at, e->at, &shifted, out);
        text = probes && e->probe ? e->probe : e->text;
        portolan_text_add(out, "%s", text);
        at += e->length;
        if (count_lines(text, strlen(text)) != count_lines(t->source.text + e->at, e->length))
            shifted = true;
    }
    copy_source(t, &at, t->source.size, &shifted, out);
}
