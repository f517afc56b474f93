/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Splicer blocks: the text that the author of an Impl file wrote between a pair of comments
 *
 *   DO-NOT-DELETE splicer.begin(NAME) … DO-NOT-DELETE splicer.end(NAME)
 *
 * is copied into the next version of the file byte for byte, with the blanks before the closing
 * comment.
 */
#include "emit.h"

#include <string.h>

/* A comment that opens or closes a block. */
struct marker {
    const char *name; /* in the text, not terminated */
    size_t name_length;
    const char *begin, *end; /* the comment */
    int line;
    bool opens;
};

struct reader {
    struct splicer *s;
    const char *text;
    const char *counted; /* lines before it are in `line` */
    int line;
};

static int line_of(struct reader *r, const char *at)
{
    for (; r->counted < at; r->counted++)
        r->line += *r->counted == '\n';
    return r->line;
}

static void complain(struct reader *r, int line, const char *format, ...) PORTOLAN_PRINTF(3, 4);

static void complain(struct reader *r, int line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    portolan_diagnose(r->s->e->d, r->s->path, line, 1, "%s",
                      portolan_arena_vprintf(r->s->e->arena, format, args));
    va_end(args);
    r->s->is_broken = true;
}

static bool skip_word(const char **at, const char *word)
{
    const size_t length = strlen(word);

    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

/* The comment around KEYWORD (the place of DO-NOT-DELETE), if it is a marker. */
static bool read_marker(struct reader *r, const char *keyword, struct marker *m)
{
    const char *at = keyword + strlen("DO-NOT-DELETE"), *from = keyword;
    size_t rest;

    while (from > r->text && (from[-1] == ' ' || from[-1] == '\t'))
        from--;
    if (from > r->text && from[-1] == '!' && r->s->is_fortran)
        m->begin = from - 1;
    else if (from - r->text < 2 || from[-2] != '/' || (from[-1] != '*' && from[-1] != '/'))
        return false;
    else
        m->begin = from - 2;
    at += strspn(at, " \t");
    m->opens = skip_word(&at, "splicer.begin(");
    if (!m->opens && !skip_word(&at, "splicer.end("))
        return false;
    m->name = at;
    m->name_length = strcspn(at, ") \t\r\n");
    m->line = line_of(r, m->begin);
    at += m->name_length;
    rest = strcspn(at, "\r\n");
    if (from[-1] != '*') { /* up to the end of the line */
        m->end = at + rest;
    } else {
        const char *close = strstr(at, "*/");

        if (!close || close > at + rest) {
            complain(r, m->line, "the splicer comment of %.*s must end in its line",
                     (int)m->name_length, m->name);
            return false;
        }
        m->end = close + 2;
    }
    if (m->name_length == 0 || *at != ')') {
        complain(r, m->line, "a splicer comment needs a name: splicer.%s(NAME)",
                 m->opens ? "begin" : "end");
        return false;
    }
    return true;
}

static bool has_name(const struct marker *m, const char *name)
{
    return strlen(name) == m->name_length && memcmp(name, m->name, m->name_length) == 0;
}

static void open_block(struct reader *r, const struct marker *m, struct splice *block)
{
    for (size_t i = 0; i < r->s->count; i++)
        if (has_name(m, r->s->list[i].name))
            complain(r, m->line, "splicer block %s already exists in line %d; keep one of them",
                     r->s->list[i].name, r->s->list[i].line);
    *block =
        (struct splice){.name = portolan_arena_strndup(r->s->e->arena, m->name, m->name_length),
                        .text = m->end,
                        .line = m->line};
}

/* BLOCK is the open block; its name is NULL when none is open. */
static void take_marker(struct reader *r, const struct marker *m, struct splice *block)
{
    if (m->opens && block->name) {
        complain(r, m->line, "splicer block %.*s begins inside %s of line %d; end that one first",
                 (int)m->name_length, m->name, block->name, block->line);
        block->name = portolan_arena_strndup(r->s->e->arena, m->name, m->name_length);
    } else if (m->opens) {
        open_block(r, m, block);
    } else if (!block->name) {
        complain(r, m->line, "splicer.end(%.*s) without a splicer.begin before it",
                 (int)m->name_length, m->name);
    } else if (!has_name(m, block->name)) {
        complain(r, m->line, "splicer.end(%.*s) where splicer.end(%s) of line %d was expected",
                 (int)m->name_length, m->name, block->name, block->line);
        block->name = NULL;
    } else {
        block->length = (size_t)(m->begin - block->text);
        ARENA_PUSH(r->s->e->arena, r->s->list, r->s->count, *block);
        block->name = NULL;
    }
}

static void read_blocks(struct splicer *s, const char *text, size_t size)
{
    struct reader r = {.s = s, .text = text, .counted = text, .line = 1};
    struct splice block = {0};
    const char *at = text;

    if (memchr(text, '\0', size)) {
        complain(&r, 1, "this is not text and would be lost if replaced; move the file away");
        return;
    }
    while ((at = strstr(at, "DO-NOT-DELETE"))) {
        struct marker m = {0};

        if (read_marker(&r, at, &m))
            take_marker(&r, &m, &block);
        at = m.end > at ? m.end : at + 1;
    }
    if (block.name)
        complain(&r, block.line, "splicer block %s has no splicer.end(%s)", block.name, block.name);
}

struct splicer splicer_open(struct emitter *e, const char *name)
{
    struct splicer s = {.e = e,
                        .o = emit_open_raw(e, name),
                        .path = emit_path(e, name),
                        .is_fortran = strstr(name, ".F90") != NULL};
    const char *text, *newline;
    size_t size;

    text = emit_read_existing(e, name, &size);
    if (!text)
        return s;
    newline = strchr(text, '\n');
    s.o->has_crlf = newline && newline > text && newline[-1] == '\r';
    read_blocks(&s, text, size);
    return s;
}

static void put_kept(struct splicer *s, const struct splice *block)
{
    struct output *o = s->o;
    const size_t begin = o->text.length;

    portolan_text_add_bytes(&o->text, block->text, block->length);
    ARENA_PUSH(s->e->arena, o->kept, o->n_kept, (struct kept_bytes){begin, o->text.length});
}

static void put_block(struct splicer *s, const char *name, int indent, const struct splice *block,
                      const char *preset)
{
    struct portolan_text *t = &s->o->text;

    portolan_text_add(t,
                      s->is_fortran ? "%*s! DO-NOT-DELETE splicer.begin(%s)"
                                    : "%*s/* DO-NOT-DELETE splicer.begin(%s) */",
                      indent, "", name);
    if (block)
        put_kept(s, block);
    else
        portolan_text_add(t, "\n%s%*s", preset, indent, "");
    portolan_text_add(t,
                      s->is_fortran ? "! DO-NOT-DELETE splicer.end(%s)\n"
                                    : "/* DO-NOT-DELETE splicer.end(%s) */\n",
                      name);
}

static struct splice *find_block(struct splicer *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->list[i].name, name) == 0)
            return &s->list[i];
    return NULL;
}

void splicer_rename(struct splicer *s, const char *old, const char *name)
{
    struct splice *block = find_block(s, old);

    if (block && !find_block(s, name))
        block->name = name;
}

void splicer_put(struct splicer *s, const char *name, int indent, const char *preset)
{
    struct splice *block = find_block(s, name);

    if (block)
        block->is_used = true;
    put_block(s, name, indent, block, preset);
}

static bool is_blank(const struct splice *block)
{
    for (size_t i = 0; i < block->length; i++)
        if (!strchr(" \t\r\n", block->text[i]))
            return false;
    return true;
}

void splicer_put_rest(struct splicer *s)
{
    struct portolan_text *t = &s->o->text;
    bool has_any = false;

    for (size_t i = 0; i < s->count; i++) {
        if (s->list[i].is_used || is_blank(&s->list[i]))
            continue;
        if (!has_any)
            portolan_text_add(t,
                              "\n%s The SIDL file no longer has what these blocks belong to. "
                              "Move what you need, then delete them.%s\n#if 0\n",
                              s->is_fortran ? "!" : "/*", s->is_fortran ? "" : " */");
        has_any = true;
        put_block(s, s->list[i].name, 0, &s->list[i], NULL);
        if (!s->is_broken)
            portolan_diagnose(
                s->e->options->notes, s->path, s->list[i].line, 1,
                "%s is no longer in the SIDL file; its code is kept at the end of the file",
                s->list[i].name);
    }
    if (has_any)
        portolan_text_add(t, "#endif\n");
}

/* Impl files */

const struct impl_builtin impl_builtins[IMPL_BUILTINS] = {
    {"_load", "Once, before anything else of this class.", false, false},
    {"_ctor", "The parent class's constructor has run.", true, false},
    {"_ctor2", "Instead of the other constructor, around data that the caller has.", true, true},
    {"_dtor", "The parent class's destructor follows.", true, false},
};

struct impl impl_open(struct emitter *e, const struct portolan_sidl_symbol *s, const char *ending)
{
    struct impl f = {.e = e, .s = s, .bodies = class_bodies(e->arena, s)};

    f.splicer = splicer_open(e, portolan_arena_printf(e->arena, "%s_Impl.%s", s->c_name, ending));
    f.t = &f.splicer.o->text;
    portolan_text_add(f.t,
                      "%s " EMIT_BANNER " from %s %s; only what stands between splicer comments is "
                      "kept.%s\n",
                      f.splicer.is_fortran ? "!" : "/*", s->full_name, s->version,
                      f.splicer.is_fortran ? "" : " */");
    return f;
}

void impl_block(struct impl *f, const char *name, int indent, const char *preset)
{
    const char *described = described_block(f->e, f->s, name);

    splicer_put(&f->splicer, portolan_arena_printf(f->e->arena, "%s.%s", f->s->full_name, name),
                indent, described ? described : preset);
}
