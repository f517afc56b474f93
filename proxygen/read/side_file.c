/* SPDX-License-Identifier: BSD-3-Clause */
/* The side file: facts about methods of interfaces that cannot be edited. */
#include "read.h"

#include <errno.h>
#include <string.h>

struct side_line {
    struct run *run;
    struct place place;
    struct method *method;
    const struct aspect *aspect;
};

/* The word after the dot, and how the text after the colon is applied. */
struct aspect {
    const char *name;
    enum portolan_status (*apply)(struct side_line *l, char *text);
    bool is_list; /* APPLY gets each word of it; the list may be empty */
    bool may_be_empty;
    bool describes; /* it describes the method, so that no context is guessed */
    bool of_type;   /* before the dot stands the port's type, not a method */
    bool not_sidl, not_cxx;
};

#define side_fail(L, ...) proxygen_fail((L)->run, PORTOLAN_ESYNTAX, &(L)->place, __VA_ARGS__)

static char *strip(char *text)
{
    size_t length;

    text += strspn(text, " \t\r\n");
    length = strlen(text);
    while (length && strchr(" \t\r\n", text[length - 1]))
        text[--length] = '\0';
    return text;
}

static enum portolan_status unknown(struct side_line *l, const char *what, const char *word,
                                    const char *const *known, size_t n_known)
{
    const char *nearest = portolan_nearest_word(word, known, n_known);

    return side_fail(l, "%s '%s'%s", what, word, portolan_did_you_mean(nearest).text);
}

static enum portolan_status find_method(struct side_line *l, const char *name,
                                        struct method **found)
{
    struct port *port = l->run->port;
    const char **known = portolan_arena_alloc(&l->run->arena, port->n_methods + 1, sizeof *known);
    const char *overload = NULL;
    size_t length = strlen(name);

    if (!known)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < port->n_methods; i++) {
        known[i] = port->methods[i].name;
        if (strncmp(known[i], name, length) == 0 && known[i][length] == '(')
            overload = known[i];
        if (strcmp(known[i], name) == 0) {
            *found = &port->methods[i];
            return PORTOLAN_OK;
        }
    }
    return overload ? side_fail(l, "the port has more than one method '%s'; say which, as in '%s'",
                                name, overload)
                    : unknown(l, "the port has no method", name, known, port->n_methods);
}

static enum portolan_status find_argument(struct side_line *l, const char *word,
                                          struct argument **found)
{
    struct method *m = l->method;
    const char **known = portolan_arena_alloc(&l->run->arena, m->n_arguments + 1, sizeof *known);

    if (!known)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < m->n_arguments; i++) {
        known[i] = m->arguments[i].name;
        if (strcmp(known[i], word) == 0) {
            *found = &m->arguments[i];
            return PORTOLAN_OK;
        }
    }
    return unknown(l, proxygen_print(&l->run->arena, "method '%s' has no argument", m->name), word,
                   known, m->n_arguments);
}

/* Cuts the first word off a list; commas inside parentheses do not separate. NULL: no more. */
static char *cut_word(char **words)
{
    char *word = *words, *c = word;
    int depth = 0;

    for (; c && *c && (*c != ',' || depth > 0); c++)
        depth += (*c == '(' || *c == '[') - (*c == ')' || *c == ']');
    *words = c && *c ? c + 1 : NULL;
    if (c)
        *c = '\0';
    return word;
}

/* Applies the line's aspect to the text after the colon, for lists to each word. */
static enum portolan_status apply_aspect(struct side_line *l, char *text)
{
    const struct aspect *aspect = l->aspect;
    enum portolan_status status = PORTOLAN_OK;
    size_t n = 0;

    if (aspect->describes)
        l->method->described = true;
    if (!aspect->is_list)
        return aspect->apply(l, text);
    if (aspect->may_be_empty && !*text)
        return PORTOLAN_OK;
    for (char *word; status == PORTOLAN_OK && (word = cut_word(&text)); n++) {
        word = strip(word);
        status = *word ? aspect->apply(l, word)
                       : side_fail(l, "an argument's name is missing behind '%s'", n ? "," : ":");
    }
    return status;
}

/* ------------------------------------------------------------------ aspects */

static enum portolan_status context_word(struct side_line *l, char *word)
{
    struct argument *a;
    enum portolan_status status;

    if (!proxygen_is_name(word))
        return proxygen_read_expression(l->run, l->method, word, false, &l->place);
    status = find_argument(l, word, &a);
    if (status != PORTOLAN_OK)
        return status;
    a->context = true;
    a->place = l->place; /* messages about it are about this line */
    return PORTOLAN_OK;
}

static enum portolan_status result_word(struct side_line *l, char *word)
{
    return proxygen_read_expression(l->run, l->method, word, true, &l->place);
}

static enum portolan_status accuracy_word(struct side_line *l, char *word)
{
    struct argument *a;
    enum portolan_status status;

    if (strcmp(word, "return") == 0) {
        l->method->accuracy = true;
        return PORTOLAN_OK;
    }
    status = find_argument(l, word, &a);
    if (status != PORTOLAN_OK)
        return status;
    a->accuracy = true;
    a->place = l->place;
    return PORTOLAN_OK;
}

static enum portolan_status apply_status(struct side_line *l, char *words)
{
    l->method->status = true;
    return strcmp(words, "return") == 0
               ? PORTOLAN_OK
               : side_fail(l, "'%s.status:' takes 'return': only a result can be a status",
                           l->method->name);
}

static enum portolan_status apply_destroys(struct side_line *l, char *words)
{
    l->method->destroys = true;
    return *words ? side_fail(l, "nothing stands behind '%s.destroys:'", l->method->name)
                  : PORTOLAN_OK;
}

/* "x = n": n counts what x points to. */
static enum portolan_status size_word(struct side_line *l, char *word)
{
    struct argument *array, *extent;
    char *equals = strchr(word, '=');
    enum portolan_status status;

    if (!equals)
        return side_fail(l, "'%s' should read 'array = extent'", word);
    *equals = '\0';
    status = find_argument(l, strip(word), &array);
    if (status == PORTOLAN_OK)
        status = find_argument(l, strip(equals + 1), &extent);
    if (status != PORTOLAN_OK)
        return status;
    if (array->form != FORM_POINTER)
        return side_fail(l,
                         "argument '%s' of '%s' is no array and no pointer, so it has no "
                         "extent; the line reads 'array = extent'",
                         array->name, l->method->name);
    extent->context = true;
    extent->size_of = array->name;
    extent->place = l->place;
    return PORTOLAN_OK;
}

static enum portolan_status apply_variadic(struct side_line *l, char *word)
{
    struct method *twin;
    enum portolan_status status;

    if (!l->method->variadic)
        return side_fail(l, "'%s' is not variadic, so it needs no other form", l->method->name);
    status = find_method(l, word, &twin);
    if (status != PORTOLAN_OK)
        return status;
    l->method->twin = twin->name;
    l->method->twin_place = l->place;
    return PORTOLAN_OK;
}

static enum portolan_status callback_word(struct side_line *l, char *word)
{
    struct argument *a;
    enum portolan_status status = find_argument(l, word, &a);

    if (status != PORTOLAN_OK)
        return status;
    if (a->form != FORM_FUNCTION)
        return side_fail(l, "argument '%s' of '%s' is no function, so it is no callback", a->name,
                         l->method->name);
    a->callback = true;
    a->place = l->place;
    return PORTOLAN_OK;
}

static enum portolan_status gives_word(struct side_line *l, char *word)
{
    struct argument *a;
    char *type = word + strcspn(word, " \t");
    enum portolan_status status;

    if (!*type)
        return side_fail(l, "the port type of what '%s' gives is missing: '%s.gives: %s TYPE'",
                         l->method->name, l->method->name, word);
    *type = '\0';
    type = portolan_arena_strdup(&l->run->arena, strip(type + 1));
    if (!type)
        return PORTOLAN_ENOMEM;
    if (strcmp(word, "return") == 0) {
        l->method->gives = type;
        return PORTOLAN_OK;
    }
    status = find_argument(l, word, &a);
    if (status != PORTOLAN_OK)
        return status;
    if (a->form != FORM_POINTER)
        return side_fail(l, "argument '%s' of '%s' is no pointer, so no object comes back there",
                         a->name, l->method->name);
    a->gives = type;
    a->place = l->place;
    return PORTOLAN_OK;
}

static enum portolan_status apply_since(struct side_line *l, char *word)
{
    int64_t version;

    if (!portolan_read_int64(word, &version) || version < 1 || version > INT32_MAX)
        return side_fail(l, "'%s.since:' is followed by a version, a whole number from 1 on",
                         l->method->name);
    l->method->since = (long)version;
    return PORTOLAN_OK;
}

/* Only the readers know the table's members; they left the candidates in port->table_numbers. */
static enum portolan_status apply_version(struct side_line *l, char *word)
{
    struct port *port = l->run->port;

    for (size_t i = 0; i < port->n_table_numbers; i++)
        if (strcmp(port->table_numbers[i], word) == 0) {
            bool size = strstr(word, "size") || strstr(word, "Size");

            port->version_member = port->table_numbers[i];
            port->version_kind = size ? VERSION_SIZE : VERSION_NUMBER;
            port->version_guessed = false;
            return PORTOLAN_OK;
        }
    return unknown(l, "the table has no whole number", word, port->table_numbers,
                   port->n_table_numbers);
}

/*
 * The first one applies to lines without an aspect. For C++, "destroys" is not needed, because
 * destructors end objects, and expressions are not supported.
 */
static const struct aspect aspects[] = {
    {"", context_word, .is_list = true, .describes = true},
    {"accuracy", accuracy_word, .is_list = true},
    {"status", .apply = apply_status},
    {"destroys", apply_destroys, .not_cxx = true},
    {"results", result_word, .is_list = true, .not_sidl = true, .not_cxx = true},
    {"size-of", size_word, .is_list = true, .may_be_empty = true, .describes = true,
     .not_sidl = true},
    {"variadic", apply_variadic, .not_sidl = true},
    {"callback", callback_word, .is_list = true, .not_sidl = true, .not_cxx = true},
    {"gives", gives_word, .is_list = true, .not_sidl = true, .not_cxx = true},
    {"since", apply_since, .not_sidl = true, .not_cxx = true},
    {"version", apply_version, .of_type = true, .not_sidl = true, .not_cxx = true},
};
enum { N_ASPECTS = sizeof aspects / sizeof *aspects };

static enum portolan_status find_aspect(struct side_line *l, const char *name)
{
    const char *known[N_ASPECTS];

    for (size_t i = 0; i < N_ASPECTS; i++) {
        known[i] = aspects[i].name;
        if (strcmp(name, known[i]) == 0) {
            l->aspect = &aspects[i];
            if (aspects[i].not_sidl && l->run->port->shape == SHAPE_SIDL)
                return side_fail(l, "'%s' is for ports from headers; SIDL says such things itself",
                                 name);
            if (aspects[i].not_cxx && l->run->port->shape == SHAPE_CLASS)
                return side_fail(l, "'%s' is for ports in C; a class of C++ cannot have it", name);
            return PORTOLAN_OK;
        }
    }
    return unknown(l, "a method has no aspect", name, known + 1, N_ASPECTS - 1);
}

/* ------------------------------------------------------------------ lines */

/* Finds the method before the colon, or checks that it is the port's type. */
static enum portolan_status find_subject(struct side_line *l, const char *name)
{
    const struct port *port = l->run->port;
    const char *known[] = {port->type, port->object ? port->object : "",
                           port->table ? port->table : ""};

    if (!l->aspect->of_type)
        return find_method(l, name, &l->method);
    for (size_t i = 0; i < 3; i++)
        if (proxygen_is_named(known[i], name))
            return PORTOLAN_OK;
    return unknown(l, "the port's type is not", name, known, 1);
}

/* If the line starts with one of the types that methods hand out, cuts it off and returns its
 * port. */
static struct port *find_type(struct side_line *l, char **line)
{
    for (size_t i = 0; i < l->run->n_given; i++) {
        size_t length = strlen(l->run->given[i]->type);

        if (strncmp(*line, l->run->given[i]->type, length) != 0 || (*line)[length] != '.')
            continue;
        if (strncmp(*line + length, ".version:", 9) != 0)
            *line += length + 1;
        return l->run->given[i];
    }
    return NULL;
}

/* The first colon that is not part of a name: "solve(const std::vector<double> &): n". */
static char *find_colon(char *line)
{
    int depth = 0;

    for (; *line; line++) {
        depth += (*line == '(') - (*line == ')');
        if (*line != ':' || depth > 0)
            continue;
        if (line[1] != ':')
            return line;
        line++;
    }
    return NULL;
}

static enum portolan_status apply_line(struct side_line *l, char *line)
{
    char *colon, *dot;
    const char *aspect = "";
    enum portolan_status status;

    colon = find_colon(line);
    if (!colon)
        return side_fail(l, "a line reads 'method: argument, argument', and this one has no ':'");
    *colon = '\0';
    dot = strrchr(line, '.');
    if (dot && !strchr(dot, ')')) { /* not that of "..." in a list of types */
        *dot = '\0';
        aspect = strip(dot + 1);
    }
    status = find_aspect(l, aspect);
    if (status == PORTOLAN_OK)
        status = find_subject(l, strip(line));
    return status == PORTOLAN_OK ? apply_aspect(l, strip(colon + 1)) : status;
}

/* Cuts the next line off LINES, without comment and surrounding blanks; NULL: no more. */
static char *cut_line(char **lines, struct place *place)
{
    char *line = strsep(lines, "\n");

    if (!line)
        return NULL;
    place->line++;
    line[strcspn(line, "#")] = '\0';
    return strip(line);
}

enum portolan_status proxygen_read_side_lines(struct run *run, char *lines)
{
    struct side_line l = {.run = run, .place = {.file = run->options->context}};
    enum portolan_status first = PORTOLAN_OK;

    /* All lines are read, so that one run shows every mistake. */
    for (char *line; (line = cut_line(&lines, &l.place));) {
        struct port *type = find_type(&l, &line);
        enum portolan_status status;

        run->port = type ? type : &run->main_port;
        status = *line ? apply_line(&l, line) : PORTOLAN_OK;
        if (first == PORTOLAN_OK)
            first = status;
    }
    run->port = &run->main_port;
    return first;
}

/* Reads the side file into LINES; NULL if there is none. */
static enum portolan_status open_side_file(struct run *run, char **lines)
{
    const char *file = run->options->context;
    struct portolan_text text = {.arena = &run->arena};

    *lines = NULL;
    if (!file)
        return PORTOLAN_OK;
    if (!portolan_text_add_file(&text, file, SIZE_MAX) && !text.failed)
        return portolan_error_set(run->err, PORTOLAN_EIO, "%s: %s", file, strerror(errno));
    if (!text.failed && text.bytes && strlen(text.bytes) < text.length)
        return portolan_error_set(run->err, PORTOLAN_ESYNTAX, "%s: has a NUL byte: it is no text",
                                  file);
    return portolan_text_take(&text, lines, run->err);
}

enum portolan_status proxygen_read_side_file(struct run *run)
{
    char *lines;
    enum portolan_status status = open_side_file(run, &lines);

    return status == PORTOLAN_OK ? proxygen_read_side_lines(run, lines) : status;
}

/* ------------------------------------------------------------------ types that are handed out */

/* The list in "method.gives: argument TYPE, return TYPE", else NULL; errors are reported later. */
static char *given_types(char *line)
{
    char *colon = strchr(line, ':'), *dot;

    if (!colon)
        return NULL;
    *colon = '\0';
    dot = strrchr(line, '.');
    return dot && strcmp(strip(dot + 1), "gives") == 0 ? colon + 1 : NULL;
}

enum portolan_status proxygen_side_gives(struct header *h, proxygen_take_type_fn *take)
{
    struct place place = {.file = h->run->options->context};
    char *lines;
    enum portolan_status status = open_side_file(h->run, &lines);

    for (char *line; status == PORTOLAN_OK && (line = cut_line(&lines, &place));) {
        char *words = given_types(line);

        for (char *word; status == PORTOLAN_OK && (word = cut_word(&words));) {
            word = strip(word);
            word += strcspn(word, " \t");
            word += strspn(word, " \t");
            word[strcspn(word, " \t")] = '\0';
            if (*word)
                status = take(h, word, &place);
        }
    }
    return status;
}
