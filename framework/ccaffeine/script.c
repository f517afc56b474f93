/* SPDX-License-Identifier: BSD-3-Clause */
/* From the text of a script to its commands, and from a word to the name that it means. */
#include "script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char blanks[] = " \t\r\f\v";

struct script_impl {
    struct portolan_arena arena; /* holds the script and this */
};

struct reader {
    struct portolan_arena *arena;
    struct portolan_diagnostics *d;
    struct portolan_script *s;
    struct portolan_script_command *commands;
    const char *at, *end;
    int line; /* number of the line that begins at `at` */
};

bool portolan_script_is(const char *file, const char *bytes, size_t size)
{
    size_t length = strlen(file);

    return (size >= SCRIPT_MAGIC_BYTES && !memcmp(bytes, SCRIPT_MAGIC, SCRIPT_MAGIC_BYTES)) ||
           (length > 4 && !strcmp(file + length - 4, ".bld"));
}

/* Returns whether a line that begins with this word is a comment. */
static bool is_comment(const char *word)
{
    return word[0] == '#' || word[0] == '!' || (word[0] == '/' && word[1] == '/');
}

bool script_split(struct portolan_arena *arena, const char *line,
                  struct portolan_script_command *command)
{
    struct portolan_words words = {0};

    for (const char *at = line + strspn(line, blanks); *at; at += strspn(at, blanks)) {
        size_t length = strcspn(at, blanks);

        if (!portolan_words_add(arena, &words, portolan_arena_strndup(arena, at, length)))
            return false;
        at += length;
    }
    command->words = words.word;
    command->n_words = words.n;
    return true;
}

bool script_split_path(struct portolan_arena *arena, const char *list,
                       struct portolan_words *folders)
{
    const char *equals = strchr(list, '=');

    for (const char *at = equals ? equals + 1 : list; *at; at += *at == ':') {
        size_t length = strcspn(at, ":");

        if (length &&
            !portolan_words_add(arena, folders, portolan_arena_strndup(arena, at, length)))
            return false;
        at += length;
    }
    return true;
}

/* The next physical line without its end, at R->at; false at the end of the file. */
static bool take_line(struct reader *r, const char **line, size_t *length)
{
    const char *end;

    if (r->at == r->end)
        return false;
    end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    *line = r->at;
    *length = (size_t)((end ? end : r->end) - r->at);
    r->at = end ? end + 1 : r->end;
    r->line++;
    while (*length && memchr(blanks, (*line)[*length - 1], sizeof blanks - 1))
        --*length;
    if (memchr(*line, '\0', *length)) {
        portolan_diagnose(r->d, r->s->file, r->line, 0, "a NUL character; a script is plain text");
        *length = strlen(*line);
    }
    return true;
}

/* A line and the lines that backslashes join to it, without the leading blanks of the latter. */
static bool take_logical_line(struct reader *r, struct portolan_text *text)
{
    const char *line;
    size_t length;
    bool more = true;

    for (bool first = true; more; first = false) {
        if (!take_line(r, &line, &length))
            return !first;
        if (length >= 5 && !memcmp(line, "#!eof", 5)) {
            r->at = r->end;
            return !first;
        }
        for (; !first && length && memchr(blanks, *line, sizeof blanks - 1); line++)
            length--;
        more = length && line[length - 1] == '\\';
        portolan_text_add_bytes(text, line, length - more);
    }
    return true;
}

static bool read_commands(struct reader *r)
{
    struct portolan_script_command c;

    for (;;) {
        struct portolan_text text = {.arena = r->arena};

        c.line = r->line + 1;
        if (!take_logical_line(r, &text))
            return !r->arena->failed;
        if (text.failed || !script_split(r->arena, text.bytes ? text.bytes : "", &c))
            return false;
        if (!c.n_words)
            continue;
        if (is_comment(c.words[0])) {
            r->s->n_comments += c.line > 1 && strcmp(text.bytes, SCRIPT_RULE) != 0;
            continue;
        }
        r->commands =
            portolan_arena_grow(r->arena, r->commands, r->s->n_commands, sizeof *r->commands);
        if (!r->commands)
            return false;
        r->commands[r->s->n_commands++] = c;
    }
}

/* Reads the name after the magic, an extension of Portolan: Ccaffeine reads only the magic. */
static bool read_name(struct reader *r, const char *text, size_t size)
{
    const char *end = memchr(text, '\n', size);
    size_t length = end ? (size_t)(end - text) : size;
    const char *at = memmem(text, length, SCRIPT_NAME, strlen(SCRIPT_NAME));

    if (r->s->is_bld || !at)
        return true;
    at += strlen(SCRIPT_NAME);
    length -= (size_t)(at - text);
    while (length && memchr(blanks, at[length - 1], sizeof blanks - 1))
        length--;
    if (length && !memchr(at, '\0', length))
        r->s->name = portolan_arena_strndup(r->arena, at, length);
    return !r->arena->failed;
}

static enum portolan_status read_script(struct reader *r, const char *text, size_t size)
{
    if (size < SCRIPT_MAGIC_BYTES || memcmp(text, SCRIPT_MAGIC, SCRIPT_MAGIC_BYTES) != 0) {
        r->s->is_bld = portolan_script_is(r->s->file, text, 0);
        if (!r->s->is_bld)
            portolan_diagnose(r->d, r->s->file, 1, 0,
                              "no Ccaffeine script; its first line must begin with '" SCRIPT_MAGIC
                              "'");
    }
    if (!read_name(r, text, size))
        return PORTOLAN_ENOMEM;
    r->at = text;
    r->end = text + size;
    if (!read_commands(r))
        return PORTOLAN_ENOMEM;
    r->s->commands = r->commands;
    r->s->last_line = r->line;
    return PORTOLAN_OK;
}

enum portolan_status portolan_script_read_text(const char *text, size_t size, const char *file,
                                               struct portolan_diagnostics *user,
                                               struct portolan_script **s,
                                               struct portolan_error *err)
{
    struct portolan_diagnostics_relay relay = {user, err};
    struct portolan_diagnostics d = {portolan_diagnostics_relay, &relay, 0};
    struct portolan_arena arena = {0};
    struct reader r = {.arena = &arena, .d = &d};
    struct script_impl *impl = portolan_arena_alloc(&arena, 1, sizeof *impl);
    enum portolan_status status = PORTOLAN_ENOMEM;

    *s = NULL;
    r.s = portolan_arena_alloc(&arena, 1, sizeof *r.s);
    if (impl && r.s && (r.s->file = portolan_arena_strdup(&arena, file)))
        status = read_script(&r, text, size);
    if (status == PORTOLAN_OK && d.count)
        status = PORTOLAN_ESYNTAX;
    if (status != PORTOLAN_OK) {
        portolan_arena_clear(&arena);
        return portolan_error_set(err, status, "%s: %s", file, portolan_status_text(status));
    }
    impl->arena = arena;
    r.s->impl = impl;
    *s = r.s;
    return PORTOLAN_OK;
}

static enum portolan_status load_script(const char *file, char **text, size_t *size,
                                        struct portolan_error *err)
{
    struct portolan_text t = {0};

    *text = NULL;
    if (!portolan_text_add_file(&t, file, SIZE_MAX) && !t.failed) {
        portolan_error_set(err, PORTOLAN_EIO, "%s: %s", file, strerror(errno));
        portolan_text_clear(&t);
        return PORTOLAN_EIO;
    }
    *size = t.length;
    return portolan_text_take(&t, text, err);
}

enum portolan_status portolan_script_read(const char *file, struct portolan_diagnostics *d,
                                          struct portolan_script **s, struct portolan_error *err)
{
    enum portolan_status status;
    size_t size = 0;
    char *text;

    *s = NULL;
    if ((status = load_script(file, &text, &size, err)) != PORTOLAN_OK)
        return status;
    status = portolan_script_read_text(text, size, file, d, s, err);
    free(text);
    return status;
}

void portolan_script_destroy(struct portolan_script *s)
{
    struct script_impl *impl;
    struct portolan_arena arena;

    if (!s)
        return;
    impl = s->impl;
    arena = impl->arena;
    portolan_arena_clear(&arena);
}

/* -- Loose matching of names. -- */

typedef bool (*fits_fn)(const char *name, const char *word);

static bool is_same(const char *name, const char *word)
{
    return !strcmp(name, word);
}

static bool is_same_in_any_case(const char *name, const char *word)
{
    return !strcasecmp(name, word);
}

static bool begins(const char *name, const char *word)
{
    return !strncasecmp(name, word, strlen(word));
}

static bool contains(const char *name, const char *word)
{
    return strcasestr(name, word) != NULL;
}

enum portolan_status match_name(const char *word, const char *const *names, size_t n,
                                const char *kind, const char **match, struct portolan_error *err)
{
    static const fits_fn stages[] = {is_same, is_same_in_any_case, begins, contains};
    const char *near;

    *match = NULL;
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++) {
        char text[600] = "";
        size_t count = 0;

        for (size_t i = 0; i < n; i++)
            if (stages[k](names[i], word)) {
                snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", count ? ", " : "",
                         names[i]);
                *match = names[i];
                count++;
            }
        if (count == 1)
            return PORTOLAN_OK;
        if (count) {
            *match = NULL;
            return portolan_error_set(err, PORTOLAN_EINVAL, "%s '%s' is ambiguous: %s", kind, word,
                                      text);
        }
    }
    near = portolan_nearest_word(word, names, n);
    return portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no %s '%s'%s", kind, word,
                              portolan_did_you_mean(near).text);
}

bool match_is_among(const char *name, const struct portolan_words *names)
{
    for (size_t i = 0; i < names->n; i++)
        if (!strcmp(names->word[i], name))
            return true;
    return false;
}

enum portolan_status match_class(const char *word, const struct portolan_words *got,
                                 const struct portolan_words *all, const char **match,
                                 struct portolan_error *err)
{
    struct portolan_error cause = {0};
    enum portolan_status status = PORTOLAN_ENOTFOUND;

    if (got && !match_is_among(word, all))
        status = match_name(word, got->word, got->n, "class", match, &cause);
    if (status == PORTOLAN_ENOTFOUND)
        return match_name(word, all->word, all->n, "class", match, err);
    return status == PORTOLAN_OK ? status : portolan_error_set(err, status, "%s", cause.text);
}

const char *match_free_name(struct portolan_arena *arena, const char *class_name,
                            const struct portolan_words *taken)
{
    const char *dot = strrchr(class_name, '.'), *name = NULL;

    for (unsigned number = 0; !name || match_is_among(name, taken); number++)
        if (!(name = portolan_arena_printf(arena, "%s%u", dot ? dot + 1 : class_name, number)))
            return NULL;
    return name;
}
