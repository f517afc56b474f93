/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is what was made C, and what are the names of formulas where they are used? libclang reads the
 * translated text with a declaration for each name, which stands in a "file" of its own.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

static const char probe_name[] = "portolan_cll_probe_"; /* a number follows */

/* What <portolan/cll.h> and FILE.cll.h declare, as far as it is used. */
static void add_stub(struct translation *t, struct portolan_text *out)
{
    portolan_text_add(out, "#include <stddef.h>\n"
                           "struct portolan_cll_experiment;\n"
                           "struct portolan_cll_driver;\n"
                           "void portolan_cll_begin(struct portolan_cll_experiment *, "
                           "const double *);\n"
                           "void portolan_cll_end(struct portolan_cll_experiment *);\n"
                           "void portolan_cll_sync(const struct portolan_cll_driver *, void *, "
                           "void *);\n"
                           "int portolan_cll_report(const struct portolan_cll_driver *, void *, "
                           "const char *, const char *);\n");
    portolan_text_add(out, "extern const struct portolan_cll_driver %s;\n", t->driver->symbol);
    for (const struct experiment *e = t->experiments; e; e = e->next)
        portolan_text_add(out, "extern struct portolan_cll_experiment %s;\n", e->symbol);
    portolan_text_add(out, "#line 1 \"%s\"\n", emit_quoted(t, t->source.file));
}

/* ------------------------------------------------------------------ answers */

static void tell(struct translation *t, struct probe *p, const char *what, const char *remedy)
{
    p->is_told = true;
    problem_add(t, t->source.file, p->place, "'%s' %s%s", p->name, what, remedy);
}

/* libclang's suggestion, "; did you mean 'n'?", or "". */
static const char *suggestion(const char *text)
{
    const char *found = strstr(text, "; did you mean");

    return found ? found : "";
}

static void answer(struct translation *t, size_t number, const char *text)
{
    struct probe *p = number < t->n_probes ? &t->probes[number] : NULL;

    if (!p || p->is_told)
        return;
    if (strncmp(text, "use of undeclared identifier", 28) == 0)
        tell(t, p,
             p->what ? portolan_libclang_print(&t->arena, "(%s) is not in scope here", p->what)
                     : "is not in scope here",
             *suggestion(text) ? suggestion(text)
                               : ": declare it before this pragma, or use what is known here");
    else if (strncmp(text, "no member named", 15) == 0)
        tell(t, p, "does not exist: ", text);
    else if (p->what && strncmp(text, "initializing", 12) == 0)
        tell(t, p, portolan_libclang_print(&t->arena, "(%s) is no pointer", p->what),
             ": put an & before it");
    else
        tell(t, p, "cannot stand here: ", text);
}

static const char *kind_of(enum CXTypeKind kind)
{
    switch (kind) {
    case CXType_Pointer:
        return "is a pointer or an array";
    case CXType_Record:
        return "is a struct";
    case CXType_Complex:
        return "is a complex number";
    case CXType_Void:
        return "has no value";
    default:
        return "is no number";
    }
}

static bool is_number(enum CXTypeKind kind)
{
    return kind == CXType_Enum || kind == CXType_Float || kind == CXType_Double ||
           kind == CXType_LongDouble || kind == CXType_Half || kind == CXType_Float16 ||
           (kind >= CXType_Bool && kind <= CXType_UInt128) ||
           (kind >= CXType_Char_S && kind <= CXType_Int128);
}

/* A probe's declaration tells its type. */
static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct translation *t = data;
    const char *name;
    size_t number;
    CXType type;

    (void)parent;
    if (t->clang->getCursorKind(cursor) != CXCursor_VarDecl)
        return CXChildVisit_Recurse;
    name = portolan_libclang_text(t->clang, &t->arena, t->clang->getCursorSpelling(cursor));
    if (strncmp(name, probe_name, sizeof probe_name - 1) != 0)
        return CXChildVisit_Recurse;
    number = strtoul(name + sizeof probe_name - 1, NULL, 10);
    if (number >= t->n_probes || t->probes[number].is_told)
        return CXChildVisit_Continue;
    type = t->clang->getCanonicalType(t->clang->getCursorType(cursor));
    type = t->clang->getCanonicalType(t->clang->getPointeeType(type));
    if (!is_number(type.kind))
        tell(t, &t->probes[number], kind_of(type.kind),
             ", and formulas are over numbers: put the number that is meant into a variable");
    return CXChildVisit_Continue;
}

enum portolan_status probe_translation(struct translation *t)
{
    struct portolan_text text = {.arena = &t->arena};
    CXTranslationUnit unit = NULL;
    enum portolan_status status;

    add_stub(t, &text);
    rewrite_apply(t, true, &text);
    if (t->arena.failed)
        return portolan_no_memory(t->err);
    status = parse_text(t, text.bytes, text.length, &unit);
    if (status != PORTOLAN_OK)
        return status;
    parse_judge(t, unit, answer);
    t->clang->visitChildren(t->clang->getTranslationUnitCursor(unit), visit, t);
    t->clang->disposeTranslationUnit(unit);
    return PORTOLAN_OK;
}
