/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the assembly of a program from a command line in which options stand as {NAME:VALUE|…}. */
#include <portolan/json.h>
#include <portolan/tune.h>
#include <portolan/xml.h>

#include <stdio.h>
#include <string.h>

/* The text that is made: instances, while the command is read. */
struct maker {
    struct portolan_arena *arena;
    struct portolan_text instances;
    size_t n;
    struct portolan_error *err;
};

static bool is_name_character(char c)
{
    return c && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", c);
}

/* The brace that closes the one at OPEN; NULL: none does. */
static const char *find_end(const char *open)
{
    int depth = 0;

    for (const char *at = open; *at; at++) {
        depth += *at == '{';
        depth -= *at == '}';
        if (!depth)
            return at;
    }
    return NULL;
}

/* The end of the value at AT, a '|' or END, outside of braces. */
static const char *end_of_value(const char *at, const char *end)
{
    for (int depth = 0; at < end && (depth || *at != '|'); at++) {
        depth += *at == '{';
        depth -= *at == '}';
    }
    return at;
}

static bool make_options(struct maker *m, const char *from, const char *to,
                         struct portolan_text *out);

/* The words of a value, without a last option in braces and its flag. */
static char *own_words(struct maker *m, const char *words)
{
    char *own = portolan_arena_strdup(m->arena, words), *brace = own ? strchr(own, '{') : NULL;
    char *blank;

    if (brace)
        *brace = '\0';
    for (size_t n = own ? strlen(own) : 0; n && own[n - 1] == ' '; n--)
        own[n - 1] = '\0';
    if (brace && (blank = strrchr(own, ' ')) && blank[1] == '-')
        *blank = '\0';
    return own;
}

/* A value's name: its only word, that after its only flag, or (IS_WHOLE: always) all words. */
static const char *name_value(struct maker *m, const char *words, bool is_whole)
{
    char *name = own_words(m, words), *blank = name ? strchr(name, ' ') : NULL;

    if (!name || !*name)
        return strchr(words, '{') ? "other" : "none";
    if (!is_whole && blank && *name == '-' && blank[1] != '-' && !strchr(blank + 1, ' '))
        return blank + 1;
    for (; blank; blank = strchr(blank, ' '))
        *blank = '_';
    return name;
}

/* Names the values of an option; those whose short names are the same, and then all, by all words.
 */
static bool name_values(struct maker *m, const struct portolan_words *words,
                        struct portolan_words *names)
{
    bool is_twice = false, good = true;

    for (int is_whole = 0; is_whole < 2 && good && (!is_whole || is_twice); is_whole++) {
        *names = (struct portolan_words){0};
        for (size_t k = 0; good && k < words->n; k++) {
            const char *name = name_value(m, words->word[k], is_whole);

            is_twice = is_twice || portolan_words_have(names, name);
            good = portolan_words_add(m->arena, names, name);
        }
    }
    return good;
}

/* "16..256*2", "1..9" or "1..9+2"; false: it is no range. */
static bool make_range(struct maker *m, const char *name, const char *text)
{
    char from[32], to[32], by[32] = "1", how = '+';
    int n = 0;

    if (sscanf(text, "%31[0-9.eE-]%n", from, &n) != 1 || !strstr(from, ".."))
        return false;
    n = (int)(strstr(from, "..") - from);
    snprintf(to, sizeof to, "%s", from + n + 2);
    from[n] = '\0';
    sscanf(text + n + 2 + strlen(to), "%c%31s", &how, by);
    if ((how != '+' && how != '*') || !*from || !*to)
        return false;
    xml_add_start(&m->instances, "  ", "instance", "name", name, "class", from, "from", from, "to",
                  to, how == '*' ? "times" : "by", by, NULL);
    portolan_text_add(&m->instances, "/>\n");
    return true;
}

/* {NAME:VALUE|VALUE…} between FROM and TO, without the braces. */
static bool make_option(struct maker *m, const char *name, const char *from, const char *to)
{
    struct portolan_words names = {0}, words = {0};
    const char *text = portolan_arena_strndup(m->arena, from, (size_t)(to - from));

    if (!text || make_range(m, name, text))
        return text;
    for (const char *at = from; at <= to; at = end_of_value(at, to) + 1) {
        struct portolan_text value = {.arena = m->arena};

        portolan_text_add(&value, "%s", "");
        if (!make_options(m, at, end_of_value(at, to), &value) ||
            !portolan_words_add(m->arena, &words, value.bytes))
            return false;
    }
    if (!name_values(m, &words, &names))
        return false;
    if (words.n < 2) {
        portolan_error_set(m->err, PORTOLAN_EINVAL,
                           "option '%s' has one value; separate several by '|', or write a range "
                           "as {%s:16..256*2}, and quote it for the shell",
                           name, name);
        return false;
    }
    for (size_t k = 0; k < words.n; k++) {
        xml_add_start(&m->instances, k ? "    " : "  ", k ? "alternative" : "instance",
                      k ? "class" : "name", k ? names.word[k] : name, k ? "words" : "class",
                      k ? words.word[k] : names.word[0], NULL);
        if (!k)
            xml_add_attribute(&m->instances, "words", words.word[0]);
        portolan_text_add(&m->instances, k ? "/>\n" : ">\n");
    }
    portolan_text_add(&m->instances, "  </instance>\n");
    m->n++;
    return true;
}

/* Adds the text to OUT, with {NAME} in place of what defines an option. */
static bool make_options(struct maker *m, const char *from, const char *to,
                         struct portolan_text *out)
{
    while (from < to) {
        const char *colon = from + 1, *end;

        while (*from == '{' && is_name_character(*colon))
            colon++;
        if (*from != '{' || *colon != ':' || colon == from + 1) {
            portolan_text_add_bytes(out, from++, 1);
            continue;
        }
        if (!(end = find_end(from)) || end > to) {
            portolan_error_set(m->err, PORTOLAN_EINVAL, "'%.40s' has no closing brace", from);
            return false;
        }
        portolan_text_add(out, "{%.*s}", (int)(colon - from - 1), from + 1);
        if (!make_option(m, portolan_arena_strndup(m->arena, from + 1, (size_t)(colon - from - 1)),
                         colon + 1, end))
            return false;
        from = end + 1;
    }
    return true;
}

/* The words of the command as one line, quoted where they hold blanks outside of braces. */
static const char *join_command(struct portolan_arena *arena, char **words, size_t n)
{
    struct portolan_text t = {.arena = arena};

    for (size_t i = 0; i < n; i++) {
        bool needs = !*words[i];
        int depth = 0;

        for (const char *at = words[i]; *at; at++) {
            depth += *at == '{';
            depth -= *at == '}';
            needs = needs || (depth <= 0 && strchr(" \t\n\"'\\", *at));
        }
        portolan_text_add(&t, "%s%s", i ? " " : "",
                          needs && n > 1 ? portolan_shell_word(words[i]).text : words[i]);
    }
    return t.bytes;
}

static const char *type_of_values(const char *values)
{
    const char *type = "int";
    char copy[4096], *rest = copy, *word;
    double x;
    int64_t k;

    snprintf(copy, sizeof copy, "%s", values);
    while ((word = strsep(&rest, ",")))
        if (!portolan_read_double(word, &x))
            return "string";
        else if (!portolan_read_int64(word, &k) || k > INT32_MAX || k < -INT32_MAX)
            type = "double";
    return type;
}

/* NAME=V,V,… as a parameter, whose present value is the last. */
static void add_parameters(struct portolan_text *t, const struct tune_line *o)
{
    for (size_t i = 0; i < o->n_varied; i++) {
        const char *values = strchr(o->varied[i], '=') + 1, *comma = strrchr(values, ',');

        portolan_text_add(t, "    <parameter name=\"%.*s\" type=\"%s\"",
                          (int)(values - 1 - o->varied[i]), o->varied[i], type_of_values(values));
        xml_add_attribute(t, "value", comma ? comma + 1 : values);
        portolan_text_add(t, "/>\n");
    }
}

static void add_sweep(struct portolan_text *t, struct portolan_arena *arena, const char *program,
                      const struct tune_line *o)
{
    for (size_t i = 0; i < o->n_varied; i++) {
        const char *equals = strchr(o->varied[i], '=');
        char *values = portolan_arena_strdup(arena, equals + 1);

        for (char *at = values; at && *at; at++)
            *at = *at == ',' ? ' ' : *at;
        portolan_text_add(t, "%s    <vary instance=\"%s\" parameter=\"%.*s\"",
                          i ? "" : "  <sweep>\n", program, (int)(equals - o->varied[i]),
                          o->varied[i]);
        xml_add_attribute(t, "values", values);
        portolan_text_add(t, "/>\n");
    }
    if (o->n_varied)
        portolan_text_add(t, "  </sweep>\n");
    if (o->accuracy > 0) {
        portolan_text_add(t, "  <optimizer");
        xml_add_number(t, "accuracy", o->accuracy);
        portolan_text_add(t, "/>\n");
    }
}

static void add_element(struct portolan_text *t, const char *element, const char *attribute,
                        const char *value)
{
    if (!value)
        return;
    xml_add_start(t, "    ", element, attribute, value, NULL);
    portolan_text_add(t, "/>\n");
}

/* NAME=TEXT as an element. */
static void add_named(struct portolan_text *t, struct portolan_arena *arena, const char *element,
                      const char *name, const char *attribute, const char *text)
{
    const char *equals = strchr(text, '=');

    xml_add_start(t, "    ", element, name,
                  portolan_arena_strndup(arena, text, (size_t)(equals - text)), attribute,
                  equals + 1, NULL);
    portolan_text_add(t, "/>\n");
}

static void add_program(struct portolan_text *t, struct portolan_arena *arena, const char *name,
                        const char *command, const struct tune_line *o)
{
    xml_add_start(t, "  ", "program", "name", name, "command", command, "store",
                  o->store ? o->store : "portolan.db", NULL);
    if (o->timeout_s > 0)
        xml_add_number(t, "timeout", o->timeout_s);
    xml_add_attribute(t, "memory", o->memory);
    if (o->ranks)
        portolan_text_add(t, " ranks=\"%d\"", o->ranks);
    portolan_text_add(t, ">\n");
    add_parameters(t, o);
    add_element(t, "accuracy", "match", o->accuracy_from);
    add_element(t, "time", "match", o->time_from);
    for (size_t i = 0; i < o->n_failed; i++)
        add_element(t, "failed", "match", o->failed[i]);
    for (size_t i = 0; i < o->n_contexts; i++)
        add_named(t, arena, "context", "name", "match", o->contexts[i]);
    for (size_t i = 0; i < o->n_variables; i++)
        add_named(t, arena, "env", "name", "value", o->variables[i]);
    for (size_t i = 0; i < o->n_files; i++)
        add_named(t, arena, "file", "as", "template", o->files[i]);
    portolan_text_add(t, "  </program>\n");
}

/* The program's file name, as the name of an instance. */
static const char *name_program(struct portolan_arena *arena, const char *command)
{
    const char *word = portolan_arena_strndup(arena, command, strcspn(command, " "));
    char *name = word ? portolan_arena_strdup(arena, portolan_file_name(word)) : NULL;

    for (char *at = name; at && *at; at++)
        *at = is_name_character(*at) ? *at : '_';
    return name;
}

char *tune_make_assembly(struct portolan_arena *arena, const struct tune_line *o,
                         struct portolan_error *err)
{
    struct maker m = {.arena = arena, .instances = {.arena = arena}, .err = err};
    struct portolan_text command = {.arena = arena}, t = {.arena = arena};
    const char *line = join_command(arena, o->command, o->n_command);
    const char *name = line ? name_program(arena, line) : NULL;

    if (!name || !make_options(&m, line, line + strlen(line), &command) ||
        (o->irace && !tune_read_irace(arena, o->irace, &m.instances, err))) {
        portolan_error_set(err, arena->failed ? PORTOLAN_ENOMEM : PORTOLAN_EINVAL, "the command");
        return NULL;
    }
    portolan_text_add(&t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml_add_start(&t, "", "assembly", "name", name, NULL);
    portolan_text_add(&t, ">\n");
    add_program(&t, arena, name, command.bytes, o);
    portolan_text_add(&t, "%s", m.instances.bytes ? m.instances.bytes : "");
    add_sweep(&t, arena, name, o);
    portolan_text_add(&t, "</assembly>\n");
    if (arena->failed)
        portolan_no_memory(err);
    return arena->failed ? NULL : t.bytes;
}
