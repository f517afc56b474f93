/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a header has of inline functions and macros that work on the port's struct: they are
 * compiled into their callers, so that no proxy sees their calls, though it sees those that they
 * make.
 */
#include "read_header.h"

#include <string.h>

static bool takes_object(struct header *h, CXCursor function, CXType object)
{
    CXType type = h->clang->getCursorType(function);
    int n = h->clang->getNumArgTypes(type);

    for (int i = 0; i < n; i++)
        if (proxygen_is_object(h, h->clang->getArgType(type, (unsigned)i), object))
            return true;
    return false;
}

static bool is_method(const struct port *port, const char *name)
{
    for (size_t i = 0; i < port->n_methods; i++)
        if (strcmp(port->methods[i].member, name) == 0)
            return true;
    return false;
}

/* True when the macro's text names a method behind "->" or ".". */
static bool names_method(struct header *h, CXCursor macro)
{
    const char *previous = "";
    CXToken *tokens = NULL;
    unsigned n = 0;
    bool found = false;

    h->clang->tokenize(h->unit, h->clang->getCursorExtent(macro), &tokens, &n);
    for (unsigned i = 0; i < n && !found; i++) {
        const char *text = proxygen_header_text(h, h->clang->getTokenSpelling(h->unit, tokens[i]));

        found = (strcmp(previous, "->") == 0 || strcmp(previous, ".") == 0) &&
                is_method(&h->run->port, text);
        previous = text;
    }
    if (tokens)
        h->clang->disposeTokens(h->unit, tokens, n);
    return found;
}

void proxygen_read_unseen(struct header *h, CXType object)
{
    struct port *port = &h->run->port;

    for (size_t i = 0; i < h->n_unseen; i++) {
        const struct unseen *u = &h->unseen[i];
        bool is_macro = h->clang->getCursorKind(u->cursor) == CXCursor_MacroDefinition;

        if (is_macro ? !names_method(h, u->cursor) : !takes_object(h, u->cursor, object))
            continue;
        port->unseen =
            portolan_arena_grow(&h->run->arena, port->unseen, port->n_unseen, sizeof *port->unseen);
        if (!port->unseen) {
            port->n_unseen = 0;
            return;
        }
        port->unseen[port->n_unseen++] =
            (struct unseen_call){u->name, is_macro, proxygen_header_cursor_place(h, u->cursor)};
    }
}
