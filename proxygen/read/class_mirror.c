/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instances of templates. libclang shows the declarations of a template, not those of an instance.
 * So the compiler works them out: a class derived from the instance, its mirror, repeats the
 * template's declarations word by word, with the template's parameters as local names.
 */
#include "class.h"

#include <ctype.h>
#include <string.h>

#define MIRROR "portolan_mirror_"

struct words {
    struct cxx_reader *r;
    const char **texts;
    unsigned n;
};

static struct words words_of(struct cxx_reader *r, CXCursor cursor)
{
    const struct portolan_libclang *clang = r->h->clang;
    struct words w = {.r = r};
    CXToken *tokens = NULL;
    unsigned n = 0;

    clang->tokenize(r->unit, clang->getCursorExtent(cursor), &tokens, &n);
    w.texts = portolan_arena_alloc(&r->h->run->arena, n + 1, sizeof *w.texts);
    for (unsigned i = 0; w.texts && i < n; i++)
        if (clang->getTokenKind(tokens[i]) != CXToken_Comment)
            w.texts[w.n++] =
                proxygen_header_text(r->h, clang->getTokenSpelling(r->unit, tokens[i]));
    if (tokens)
        clang->disposeTokens(r->unit, tokens, n);
    return w;
}

static bool is_word(const struct words *w, unsigned i, const char *text)
{
    return i < w->n && strcmp(w->texts[i], text) == 0;
}

static int nesting(const char *word)
{
    if (strcmp(word, "(") == 0 || strcmp(word, "{") == 0 || strcmp(word, "[") == 0)
        return 1;
    return strcmp(word, ")") == 0 || strcmp(word, "}") == 0 || strcmp(word, "]") == 0 ? -1 : 0;
}

/* The index of the comma or parenthesis that ends the default argument at I. */
static unsigned skip_default(const struct words *w, unsigned i)
{
    int depth = 0, angles = 0;

    for (; i < w->n; i++) {
        if (depth == 0 && ((is_word(w, i, ",") && angles <= 0) || is_word(w, i, ")")))
            break;
        depth += nesting(w->texts[i]);
        angles += is_word(w, i, "<") - is_word(w, i, ">") - 2 * is_word(w, i, ">>");
    }
    return i;
}

/* Returns whether word I follows a parameter's name: then it is a macro for an attribute, which may
 * not be defined any more. */
static bool is_attribute(const struct words *w, unsigned i, const struct cursors *parameters)
{
    if (i == 0 || !(isalpha((unsigned char)w->texts[i][0]) || w->texts[i][0] == '_'))
        return false;
    for (size_t k = 0; k < parameters->n; k++)
        if (is_word(w, i - 1, proxygen_header_spelling(w->r->h, parameters->items[k])))
            return true;
    return false;
}

/* Adds a method's declaration without default arguments and body. */
static void add_method(struct cxx_reader *r, CXCursor method)
{
    const struct portolan_libclang *clang = r->h->clang;
    struct words w = words_of(r, method);
    struct cursors parameters = proxygen_children_of(r->h, method, CXCursor_ParmDecl);
    bool pure = clang->CXXMethod_isPureVirtual(method);
    int depth = 0;

    portolan_text_add(&r->mirrors, "public:");
    for (unsigned i = 0; i < w.n; i++) {
        if (depth == 0 && (is_word(&w, i, "{") || is_word(&w, i, ";") ||
                           (is_word(&w, i, "=") && !is_word(&w, i ? i - 1 : 0, "operator"))))
            break;
        if (is_word(&w, i, "virtual") || is_word(&w, i, "final") || is_word(&w, i, "override"))
            continue;
        if (depth == 1 && is_attribute(&w, i, &parameters))
            continue;
        if (depth == 1 && is_word(&w, i, "="))
            i = skip_default(&w, i + 1);
        if (i < w.n) {
            depth += nesting(w.texts[i]);
            portolan_text_add(&r->mirrors, " %s", w.texts[i]);
        }
    }
    portolan_text_add(&r->mirrors, "%s;\n", pure ? " = 0" : "");
}

/* Adds an alias for the base's type, as the template writes it. */
static void add_base(struct cxx_reader *r, CXCursor base, size_t number)
{
    struct words w = words_of(r, base);

    portolan_text_add(&r->mirrors, "using portolan_base_%zu =", number);
    for (unsigned i = 0; i < w.n; i++) {
        if (is_word(&w, i, "public") || is_word(&w, i, "protected") || is_word(&w, i, "private") ||
            is_word(&w, i, "virtual") || is_word(&w, i, "."))
            continue;
        portolan_text_add(&r->mirrors, " %s", w.texts[i]);
    }
    portolan_text_add(&r->mirrors, ";\n");
}

/* Cuts the next template argument off *TEXT; "" when there are no more. */
static const char *next_argument(struct cxx_reader *r, const char **text)
{
    const char *start = *text;
    int depth = 0;

    while (**text && !(depth == 0 && (**text == ',' || **text == '>'))) {
        depth += strchr("<([{", **text) != NULL;
        depth -= strchr(">)]}", **text) != NULL;
        ++*text;
    }
    start = proxygen_print(&r->h->run->arena, "%.*s", (int)(*text - start), start);
    if (**text == ',')
        ++*text;
    while (**text == ' ')
        ++*text;
    return start;
}

/* Adds the default after '='; a ">>" at its end also closes the template's own parameters. */
static void add_default(const struct words *w, unsigned i)
{
    int angles = 0;

    for (; i < w->n; i++) {
        angles += is_word(w, i, "<") - is_word(w, i, ">") - 2 * is_word(w, i, ">>");
        portolan_text_add(&w->r->mirrors, " %s", angles < 0 ? ">" : w->texts[i]);
    }
}

/* Declares a template's parameter as a name for its argument or its default. */
static enum portolan_status add_parameter(struct cxx_reader *r, CXCursor parameter, CXType instance,
                                          unsigned number, const char *argument)
{
    const struct portolan_libclang *clang = r->h->clang;
    const char *name = proxygen_header_spelling(r->h, parameter);
    bool type = clang->getCursorKind(parameter) == CXCursor_TemplateTypeParameter;
    struct words w = words_of(r, parameter);
    struct place place = proxygen_header_cursor_place(r->h, parameter);
    unsigned equals = 0;

    if (clang->getCursorKind(parameter) == CXCursor_TemplateTemplateParameter)
        return proxygen_fail(r->h->run, PORTOLAN_EUNSUPPORTED, &place,
                             "instances of templates whose parameters are templates cannot be "
                             "ports; derive a class from the instance and name that");
    for (unsigned i = 0; i < w.n; i++)
        if (is_word(&w, i, "..."))
            return proxygen_fail(r->h->run, PORTOLAN_EUNSUPPORTED, &place,
                                 "instances of templates with parameter packs cannot be ports; "
                                 "derive a class from the instance and name that");
    if (!*name)
        return PORTOLAN_OK;
    while (equals < w.n && !is_word(&w, equals, "="))
        equals++;
    if (type) {
        CXType known = clang->Type_getTemplateArgumentAsType(instance, number);

        portolan_text_add(&r->mirrors, "using %s =", name);
        if (known.kind != CXType_Invalid)
            argument = proxygen_cxx_declare(r, known, "");
    } else {
        CXType value = clang->getCursorType(parameter);

        portolan_text_add(&r->mirrors,
                          "static constexpr %s =", proxygen_cxx_declare(r, value, name));
    }
    if (*argument)
        portolan_text_add(&r->mirrors, " %s", argument);
    else
        add_default(&w, equals + 1);
    portolan_text_add(&r->mirrors, ";\n");
    return PORTOLAN_OK;
}

/* Opens the namespaces that the template is in; returns how many. */
static size_t open_scopes(struct cxx_reader *r, CXCursor cursor)
{
    const struct portolan_libclang *clang = r->h->clang;
    CXCursor parent = clang->getCursorSemanticParent(cursor);
    size_t n;

    if (proxygen_cxx_is_linkage(clang->getCursorKind(parent)))
        return open_scopes(r, parent);
    if (clang->getCursorKind(parent) != CXCursor_Namespace)
        return 0;
    n = open_scopes(r, parent);
    portolan_text_add(&r->mirrors, "%snamespace %s {\n",
                      clang->Cursor_isInlineNamespace(parent) ? "inline " : "",
                      proxygen_header_spelling(r->h, parent));
    return n + 1;
}

static enum portolan_status add_mirror(struct cxx_reader *r, CXType instance, const char *name,
                                       CXCursor definition)
{
    unsigned number = 0;
    const struct portolan_libclang *clang = r->h->clang;
    struct cursors list = proxygen_children(r->h, definition);
    const char *arguments = strchr(name, '<');
    size_t scopes = open_scopes(r, definition), bases = 0;
    enum portolan_status status = PORTOLAN_OK;

    arguments = arguments ? arguments + 1 : "";
    portolan_text_add(&r->mirrors, "struct " MIRROR "%zu : ::%s {\n", r->n_mirrors, name);
    for (size_t i = 0; i < list.n && status == PORTOLAN_OK; i++) {
        enum CXCursorKind kind = clang->getCursorKind(list.items[i]);

        if (kind == CXCursor_TemplateTypeParameter || kind == CXCursor_NonTypeTemplateParameter ||
            kind == CXCursor_TemplateTemplateParameter)
            status =
                add_parameter(r, list.items[i], instance, number++, next_argument(r, &arguments));
        else if (kind == CXCursor_CXXBaseSpecifier)
            add_base(r, list.items[i], bases++);
        else if (proxygen_cxx_is_method(r, list.items[i]))
            add_method(r, list.items[i]);
    }
    portolan_text_add(&r->mirrors, "};\n");
    while (scopes--)
        portolan_text_add(&r->mirrors, "}\n");
    r->n_mirrors++;
    r->has_new_mirrors = true;
    return status;
}

/* Looks everywhere in SCOPE for the mirror of INSTANCE; the null cursor when there is none. */
static CXCursor find_mirror(struct cxx_reader *r, CXCursor scope, CXType instance)
{
    const struct portolan_libclang *clang = r->h->clang;
    struct cursors list = proxygen_children(r->h, scope), bases;
    CXCursor found = {.kind = CXCursor_InvalidFile};

    for (size_t i = 0; i < list.n && clang->Cursor_isNull(found); i++) {
        enum CXCursorKind kind = clang->getCursorKind(list.items[i]);

        if (kind == CXCursor_Namespace)
            found = find_mirror(r, list.items[i], instance);
        if (kind != CXCursor_StructDecl ||
            strncmp(proxygen_header_spelling(r->h, list.items[i]), MIRROR, strlen(MIRROR)) != 0)
            continue;
        bases = proxygen_children(r->h, list.items[i]);
        if (bases.n &&
            clang->equalTypes(clang->getCanonicalType(clang->getCursorType(bases.items[0])),
                              clang->getCanonicalType(instance)))
            found = list.items[i];
    }
    return found;
}

enum portolan_status proxygen_cxx_mirror(struct cxx_reader *r, CXType instance, CXCursor definition,
                                         CXCursor *mirror)
{
    const struct portolan_libclang *clang = r->h->clang;
    struct place place = proxygen_header_cursor_place(r->h, definition);
    const char *name = proxygen_header_type_text(r->h, clang->getCanonicalType(instance));

    if (clang->getCursorKind(definition) != CXCursor_ClassTemplate)
        return proxygen_fail(r->h->run, PORTOLAN_EUNSUPPORTED, &place,
                             "%s is an instance of a partial specialisation, which cannot be read; "
                             "derive a class from it that declares its virtual methods",
                             name);
    *mirror = find_mirror(r, clang->getTranslationUnitCursor(r->unit), instance);
    return clang->Cursor_isNull(*mirror) ? add_mirror(r, instance, name, definition) : PORTOLAN_OK;
}
