/* SPDX-License-Identifier: BSD-3-Clause */
/* Comments and long lines of C. */
#include "emit.h"

#include <string.h>

enum { PAGE_WIDTH = 100 };

/* A comment's opening inside a comment is a warning in C. */
static void emit_comment_text(struct portolan_text *t, const char *comment, size_t length)
{
    for (size_t i = 0; i < length; i++)
        portolan_text_add(t, i && comment[i] == '*' && comment[i - 1] == '/' ? " %c" : "%c",
                          comment[i]);
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
