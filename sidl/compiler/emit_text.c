/* SPDX-License-Identifier: BSD-3-Clause */
/* Comments and long lines of C. */
#include "emit.h"

#include <string.h>

enum { PAGE_WIDTH = 100 };

/* A comment's opening inside a comment is a warning in C, and so is the trigraph of a backslash. */
static void emit_comment_text(struct portolan_text *t, const char *comment, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const bool opens = i && comment[i] == '*' && comment[i - 1] == '/';
        const bool ends_trigraph =
            i > 1 && comment[i] == '/' && comment[i - 1] == '?' && comment[i - 2] == '?';

        portolan_text_add(t, opens || ends_trigraph ? " %c" : "%c", comment[i]);
    }
}

void emit_comment(struct portolan_text *t, const char *comment, int indent)
{
    if (!comment)
        return;
    if (!strchr(comment, '\n')) {
        portolan_text_add(t, "%*s/** ", indent, "");
        emit_comment_text(t, comment, strlen(comment));
        portolan_text_add(t, " */\n");
        return;
    }
    portolan_text_add(t, "%*s/**\n", indent, "");
    while (*comment) {
        const int length = (int)strcspn(comment, "\n");

        portolan_text_add(t, "%*s *%s", indent, "", length ? " " : "");
        emit_comment_text(t, comment, (size_t)length);
        portolan_text_add(t, "\n");
        comment += length + (comment[length] == '\n');
    }
    portolan_text_add(t, "%*s */\n", indent, "");
}

const char *emit_method_comment(struct portolan_arena *a, const struct portolan_sidl_method *m)
{
    struct portolan_text text = {.arena = a};

    if (m->comment)
        portolan_text_add(&text, "%s", m->comment);
    for (size_t i = 0; i < m->n_arguments; i++)
        if (m->arguments[i].comment)
            portolan_text_add(&text, "%s%s: %s", text.length ? "\n" : "", m->arguments[i].name,
                              m->arguments[i].comment);
    return text.bytes;
}

void emit_wrapped(struct portolan_text *t, const char *line, int indent)
{
    size_t room = PAGE_WIDTH;

    while (strlen(line) > room) {
        size_t cut = room;

        while (cut > 0 && !(line[cut] == ' ' && line[cut - 1] == ','))
            cut--;
        if (cut == 0)
            break;
        portolan_text_add(t, "%.*s\n%*s", (int)cut, line, indent, "");
        line += cut + 1;
        room = PAGE_WIDTH - (size_t)indent;
    }
    portolan_text_add(t, "%s\n", line);
}

const char *emit_zero(const struct portolan_sidl_type *type)
{
    switch (type->kind) {
    case PORTOLAN_SIDL_DCOMPLEX:
    case PORTOLAN_SIDL_FCOMPLEX:
    case PORTOLAN_SIDL_STRUCT:
        return "{0}";
    case PORTOLAN_SIDL_OPAQUE:
    case PORTOLAN_SIDL_STRING:
    case PORTOLAN_SIDL_ARRAY:
    case PORTOLAN_SIDL_OBJECT:
        return "NULL";
    default:
        return "0";
    }
}

static void put_drop(struct portolan_text *t, const struct portolan_sidl_type *type,
                     const char *place, const char *pointer)
{
    switch (type->kind) {
    case PORTOLAN_SIDL_STRING:
        portolan_text_add(t, "        SIDL_DROP_STRING(%s);\n", place);
        break;
    case PORTOLAN_SIDL_OBJECT:
        portolan_text_add(t, "        SIDL_DROP_OBJECT(%s);\n", place);
        break;
    case PORTOLAN_SIDL_ARRAY:
        portolan_text_add(t, "        SIDL_DROP_ARRAY(%s);\n", place);
        break;
    case PORTOLAN_SIDL_STRUCT:
        portolan_text_add(t, "        SIDL_DROP_STRUCT(%s, %s);\n", type->symbol->c_name, pointer);
        break;
    default:
        break;
    }
}

void emit_drops(struct emitter *e, struct portolan_text *t, const struct portolan_sidl_method *m)
{
    const size_t before = t->length;
    size_t after;

    portolan_text_add(t, "    if (*_ex) {\n");
    after = t->length;
    put_drop(t, m->result, "_retval", "&_retval");
    for (size_t i = 0; i < m->n_arguments; i++)
        if (m->arguments[i].mode == PORTOLAN_SIDL_OUT)
            put_drop(t, m->arguments[i].type,
                     portolan_arena_printf(e->arena, "*%s", m->arguments[i].name),
                     m->arguments[i].name);
    if (t->length > after)
        portolan_text_add(t, "    }\n");
    else
        t->length = before;
}
