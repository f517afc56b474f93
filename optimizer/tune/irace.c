/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a file of parameters of irace (https://mlopez-ibanez.github.io/irace) as options: a line is
 *   NAME "SWITCH" c|o|i|r[,log] (VALUE, …) [| PARENT == VALUE]
 * and [forbidden] is followed by combinations that are not run. */
#include <portolan/list.h>
#include <portolan/tune.h>
#include <portolan/xml.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Ranges become at most so many values. */
enum { MOST_STEPS = 8 };

struct parameter {
    const char *name, *flag;
    bool is_range, is_whole, is_log;
    struct portolan_words values; /* of a range its ends */
    const char *parent;           /* it is used with these values of it; NULL: always */
    struct portolan_words parent_values;
    struct portolan_text applies; /* what is not forbidden */
};

struct reader {
    struct portolan_arena *arena;
    const char *file, *at;
    int line;
    size_t n;
    struct parameter *parameters;
    struct portolan_error *err;
};

/* ------------------------------------------------------------------ words */

static bool wrong(struct reader *r, const char *what, const char *token)
{
    portolan_error_set(r->err, PORTOLAN_ESYNTAX, "%s:%d: '%.60s': %s", r->file, r->line,
                       token ? token : "end of line", what);
    return false;
}

/* The next word, text in quotes or operator of the line; NULL: it ends. */
static const char *next(struct reader *r)
{
    static const char single[] = "(),", doubled[] = "=!<>&|";
    const char *from = r->at += strspn(r->at, " \t\r");
    size_t n = 1;

    if (!*from || *from == '#')
        return NULL;
    if (*from == '"' || *from == '\'') {
        n = strcspn(from + 1, (char[]){*from, 0});
        r->at = from + 1 + n + (from[n + 1] != 0);
        return portolan_arena_strndup(r->arena, from + 1, n);
    }
    if (strchr(doubled, *from))
        n = strspn(from, doubled);
    else if (!strchr(single, *from))
        n = strcspn(from, " \t\r(),=!<>&|#");
    r->at = from + n;
    return portolan_arena_strndup(r->arena, from, n);
}

static bool is(const char *token, const char *word)
{
    return token && !strcmp(token, word);
}

/* "(A, B, …)", of which the parenthesis was read. */
static bool take_list(struct reader *r, struct portolan_words *list)
{
    for (const char *token = next(r); !is(token, ")"); token = next(r))
        if (!token)
            return wrong(r, "a list ends with ')'", token);
        else if (!is(token, ",") && !portolan_words_add(r->arena, list, token))
            return false;
    return list->n || wrong(r, "the list is empty", ")");
}

/* ------------------------------------------------------------------ a line */

static struct parameter *find(struct reader *r, const char *name)
{
    for (size_t i = 0; name && i < r->n; i++)
        if (!strcmp(r->parameters[i].name, name))
            return &r->parameters[i];
    return NULL;
}

/* PARENT == VALUE, or PARENT %in% c(VALUE, …). */
static bool take_parent(struct reader *r, struct parameter *p)
{
    const char *token, *op;

    p->parent = next(r);
    op = next(r);
    if (is(op, "==") && (token = next(r))) {
        if (!portolan_words_add(r->arena, &p->parent_values, token))
            return false;
    } else if (!is(op, "%in%") || !next(r) || !is(next(r), "(") ||
               !take_list(r, &p->parent_values)) {
        return wrong(r, "a condition is PARAMETER == VALUE or PARAMETER %in% c(VALUE, ...)", op);
    }
    token = next(r);
    return !token || wrong(r, "a condition is of one parameter", token);
}

static bool take_parameter(struct reader *r, const char *name)
{
    struct parameter p = {.name = name, .flag = next(r), .applies.arena = r->arena};
    const char *type = next(r), *token = next(r);

    if (!type || strlen(type) != 1 || !strchr("coir", *type))
        return wrong(r, "a parameter has a name, a switch in quotes, and a type: c, o, i or r",
                     type);
    p.is_range = strchr("ir", *type);
    p.is_whole = *type == 'i';
    if (is(token, ",")) {
        p.is_log = is(next(r), "log");
        token = next(r);
    }
    if (!is(token, "("))
        return wrong(r, "values stand in parentheses", token);
    if (!take_list(r, &p.values))
        return false;
    if (p.is_range && p.values.n != 2)
        return wrong(r, "a range has a lower and an upper end", p.values.word[0]);
    token = next(r);
    if (token && !is(token, "|"))
        return wrong(r, "after the values stands '|' and a condition, or nothing", token);
    return (!token || take_parent(r, &p)) &&
           portolan_arena_append(r->arena, &r->parameters, &r->n, &p, sizeof p);
}

/* An expression of R as a condition: not (…), of the first parameter that it names. */
static bool take_forbidden(struct reader *r, const char *token)
{
    struct portolan_text t = {.arena = r->arena};
    struct parameter *first = NULL;
    const char *name = "";
    struct portolan_words list = {0};

    for (; token; token = next(r)) {
        if (*token == '&' || *token == '|') {
            portolan_text_add(&t, " %s ", *token == '&' ? "and" : "or");
        } else if (is(token, "%in%")) {
            if (!next(r) || !is(next(r), "(") || !take_list(r, &list))
                return wrong(r, "after %in% stands c(VALUE, ...)", token);
            t.length -= strlen(name);
            for (size_t i = 0; i < list.n; i++)
                portolan_text_add(&t, "%s%s = '%s'", i ? " or " : "(", name, list.word[i]);
            portolan_text_add(&t, ")");
            list.n = 0;
        } else if (find(r, token)) {
            first = first ? first : find(r, token);
            portolan_text_add(&t, "%s", name = token);
        } else if (is(token, "!")) {
            portolan_text_add(&t, "not ");
        } else if (strchr("()<>!=", *token)) {
            portolan_text_add(&t, "%s", is(token, "==") ? " = " : token);
        } else {
            portolan_text_add(&t, "'%s'", token);
        }
    }
    if (!first)
        return wrong(r, "what is forbidden names parameters of the file", t.bytes);
    portolan_text_add(&first->applies, "%snot (%s)", first->applies.length ? " and " : "", t.bytes);
    return true;
}

/* ------------------------------------------------------------------ as options */

static void add_applies(struct portolan_text *out, const struct parameter *p, const char *end)
{
    if (!p->applies.length) {
        portolan_text_add(out, "/>\n");
        return;
    }
    portolan_text_add(out, ">");
    xml_add_start(out, "", "applies", "if", p->applies.bytes, NULL);
    portolan_text_add(out, "/>%s\n", end);
}

static bool add_range(struct reader *r, const struct parameter *p, struct portolan_text *out)
{
    double from, to, by;

    if (!portolan_read_double(p->values.word[0], &from) ||
        !portolan_read_double(p->values.word[1], &to))
        return wrong(r, "the ends of a range are numbers", p->values.word[1]);
    by = p->is_log ? pow(to / from, 1.0 / MOST_STEPS) : (to - from) / MOST_STEPS;
    if (p->is_whole)
        by = p->is_log ? fmax(2, ceil(by)) : fmax(1, ceil(by));
    xml_add_start(out, "  ", "instance", "name", p->name, "class",
                  portolan_arena_printf(r->arena, "%.12g", from), "from", p->values.word[0], "to",
                  p->values.word[1], p->is_log ? "times" : "by",
                  portolan_arena_printf(r->arena, "%.12g", by), "words",
                  portolan_arena_printf(r->arena, "%s{value}", p->flag), NULL);
    add_applies(out, p, "</instance>");
    return true;
}

/* The words of a value: the switch, the value, and the parameters that are used with it. */
static const char *words_of(struct reader *r, const struct parameter *p, size_t value)
{
    struct portolan_text t = {.arena = r->arena};

    portolan_text_add(&t, "%s%s", p->flag, p->values.word[value]);
    for (size_t i = 0; i < r->n; i++)
        if (is(r->parameters[i].parent, p->name) &&
            portolan_words_have(&r->parameters[i].parent_values, p->values.word[value]))
            portolan_text_add(&t, " {%s}", r->parameters[i].name);
    return t.bytes;
}

static bool add_values(struct reader *r, const struct parameter *p, struct portolan_text *out)
{
    for (size_t k = 0; k < p->values.n; k++) {
        xml_add_start(out, k ? "    " : "  ", k ? "alternative" : "instance", k ? "class" : "name",
                      k ? p->values.word[k] : p->name, k ? NULL : "class", p->values.word[k], NULL);
        xml_add_attribute(out, "words", words_of(r, p, k));
        if (k)
            add_applies(out, p, "</alternative>");
        else if (p->applies.length)
            add_applies(out, p, "");
        else
            portolan_text_add(out, ">\n");
    }
    portolan_text_add(out, "  </instance>\n");
    return true;
}

static bool read_lines(struct reader *r, char *rest)
{
    bool is_forbidden = false, good = true;

    for (char *line; good && (line = strsep(&rest, "\n"));) {
        const char *token;

        r->at = line;
        r->line++;
        if (!(token = next(r)))
            continue;
        if (*token == '[') {
            is_forbidden = is(token, "[forbidden]");
            if (!is_forbidden)
                return true; /* [global]: digits of numbers */
        } else {
            good = is_forbidden ? take_forbidden(r, token) : take_parameter(r, token);
        }
    }
    return good;
}

bool tune_read_irace(struct portolan_arena *arena, const char *file, struct portolan_text *options,
                     struct portolan_error *err)
{
    struct reader r = {.arena = arena, .file = file, .err = err};
    struct portolan_text bytes = {.arena = arena};
    bool good = !xml_read_bytes(file, &bytes, err) && read_lines(&r, bytes.bytes);

    for (size_t i = 0; good && i < r.n; i++) {
        const struct parameter *p = &r.parameters[i], *parent = find(&r, p->parent);

        if (p->parent && (!parent || parent->is_range))
            good = wrong(&r, "a condition is of a parameter of the file with values", p->parent);
        else
            good = p->is_range ? add_range(&r, p, options) : add_values(&r, p, options);
    }
    return good && !arena->failed;
}
