/* SPDX-License-Identifier: BSD-3-Clause */
#include "lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One physical line behind what is there; false at the end. */
static bool read_piece(struct lines *l, const char *prompt)
{
    const char *line;
    char *buffer = NULL;
    size_t room = 0;
    ssize_t length;

    if (l->terminal) {
        switch (terminal_read(l->terminal, prompt, &line)) {
        case TERMINAL_END:
            return false;
        case TERMINAL_CANCELLED:
            portolan_text_clear(&l->text);
            return true;
        case TERMINAL_LINE:
            portolan_text_add(&l->text, "%s", line);
            return true;
        }
    }
    length = getline(&buffer, &room, stdin);
    l->read++;
    while (length > 0 && strchr("\r\n", buffer[length - 1]))
        length--;
    if (length >= 0)
        portolan_text_add_bytes(&l->text, buffer, (size_t)length);
    free(buffer);
    return length >= 0;
}

bool lines_read(struct lines *l)
{
    portolan_text_clear(&l->text);
    l->number = l->read + 1;
    for (bool first = true;; first = false) {
        if (!read_piece(l, first ? l->prompt : l->more))
            return !first;
        if (!l->text.length || l->text.bytes[l->text.length - 1] != '\\')
            return !l->text.failed;
        l->text.bytes[--l->text.length] = '\0';
        portolan_text_add(&l->text, "%s", l->joint);
    }
}
