/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes of functions: those for Portolan, those that change how a function is called, and
 * unknown ones, which might change it.
 */
#include "read.h"

#include <string.h>

/* ------------------------------------------------------------------ annotations */

struct annotations proxygen_read_annotations(struct header *h, CXCursor cursor)
{
    struct cursors list = proxygen_children_of(h, cursor, CXCursor_AnnotateAttr);
    struct annotations a = {0};

    for (size_t i = 0; i < list.n; i++) {
        const char *text = proxygen_header_spelling(h, list.items[i]);

        a.context |= strcmp(text, "portolan.context") == 0;
        a.accuracy |= strcmp(text, "portolan.accuracy") == 0;
        a.status |= strcmp(text, "portolan.status") == 0;
        a.destroys |= strcmp(text, "portolan.destroys") == 0;
    }
    return a;
}

/* ------------------------------------------------------------------ attributes without a name */

const char *proxygen_print_attributes(struct header *h, CXCursor cursor)
{
    CXPrintingPolicy policy;
    const char *text;

    if (!proxygen_children_of(h, cursor, CXCursor_UnexposedAttr).n)
        return "";
    policy = h->clang->getCursorPrintingPolicy(cursor);
    text = proxygen_header_text(h, h->clang->getCursorPrettyPrinted(cursor, policy));
    h->clang->PrintingPolicy_dispose(policy);
    return text;
}

/* ------------------------------------------------------------------ unknown attributes */

/* Attributes of gcc that libclang does not know and that do not change how a function is called. */
static bool is_harmless(struct portolan_arena *arena, const char *name)
{
    static const char *const harmless[] = {"access",
                                           "artificial",
                                           "copy",
                                           "externally_visible",
                                           "fd_arg",
                                           "fd_arg_read",
                                           "fd_arg_write",
                                           "gnu_inline",
                                           "leaf",
                                           "no_icf",
                                           "no_reorder",
                                           "noclone",
                                           "noipa",
                                           "nonstring",
                                           "noplt",
                                           "nonnull",
                                           "optimize",
                                           "stack_protect",
                                           "symver",
                                           "tainted_args",
                                           "zero_call_used_regs"};
    size_t length = strlen(name);

    if (length > 4 && strncmp(name, "__", 2) == 0 && strcmp(name + length - 2, "__") == 0)
        name = proxygen_print(arena, "%.*s", (int)length - 4, name + 2);
    return PROXYGEN_IS_AMONG(name, harmless);
}

void proxygen_note_unknown_attribute(struct header *h, CXSourceLocation location, const char *text)
{
    const char *quote = strchr(text, '\'');
    const char *name =
        quote ? proxygen_print(&h->run->arena, "%.*s", (int)strcspn(quote + 1, "'"), quote + 1)
              : text;
    struct unknown_attribute unknown = {.name = name, .place = proxygen_header_place(h, location)};

    if (is_harmless(&h->run->arena, name))
        return;
    h->clang->getFileLocation(location, &unknown.file, NULL, NULL, &unknown.offset);
    PROXYGEN_APPEND(&h->run->arena, h->unknown, h->n_unknown, unknown);
}

/* Returns whether UNKNOWN belongs to the declaration that ends at END. libclang leaves attributes
 * after the declarator out of its extent, so the text up to the semicolon counts, too. */
static bool is_of(struct header *h, const struct unknown_attribute *unknown, unsigned end)
{
    size_t length;
    const char *text = h->clang->getFileContents(h->unit, unknown->file, &length);

    if (unknown->offset <= end)
        return true;
    return text && unknown->offset < length && end < length &&
           !memchr(text + end, ';', unknown->offset - end);
}

static const struct unknown_attribute *unknown_within(struct header *h, CXCursor cursor)
{
    CXSourceRange extent = h->clang->getCursorExtent(cursor);
    CXFile file = NULL;
    unsigned start, end;

    h->clang->getFileLocation(h->clang->getRangeStart(extent), &file, NULL, NULL, &start);
    h->clang->getFileLocation(h->clang->getRangeEnd(extent), NULL, NULL, NULL, &end);
    for (size_t i = 0; file && i < h->n_unknown; i++)
        if (h->unknown[i].file && h->clang->File_isEqual(file, h->unknown[i].file) &&
            h->unknown[i].offset >= start && is_of(h, &h->unknown[i], end))
            return &h->unknown[i];
    return NULL;
}

const struct unknown_attribute *proxygen_unknown_attribute(struct header *h, CXCursor cursor)
{
    const struct unknown_attribute *found = h->n_unknown ? unknown_within(h, cursor) : NULL;
    CXType type = h->clang->getCursorType(cursor);
    CXCursor definition;

    /* The typedefs on the way to the function may have one, too. */
    while (h->n_unknown && !found && proxygen_step_through(h, &type, &definition))
        if (!h->clang->Cursor_isNull(definition))
            found = unknown_within(h, definition);
    return found;
}
