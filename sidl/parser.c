/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations. One problem is reported per declaration; then reading goes on behind it. */
#include "parser.h"

#include <stdio.h>
#include <string.h>

void parser_fail(struct parser *p, const char *format, ...)
{
    char text[1000];
    va_list args;

    if (p->failed)
        return;
    p->failed = true;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diagnose_at(p->d, &p->at->place, "%s", text);
}

void parser_expected(struct parser *p, const char *what)
{
    if (p->at->kind == TOKEN_END)
        parser_fail(p, "the file ends here, expected %s", what);
    else
        parser_fail(p, "expected %s, not '%s'", what, p->at->text);
}

bool parser_is(const struct parser *p, const char *text)
{
    return (p->at->kind == TOKEN_WORD || p->at->kind == TOKEN_SYMBOL) &&
           strcmp(p->at->text, text) == 0;
}

bool parser_accept(struct parser *p, const char *text)
{
    if (p->failed || !parser_is(p, text))
        return false;
    p->at++;
    return true;
}

void parser_expect(struct parser *p, const char *text, const char *where)
{
    char what[200];

    if (p->failed || parser_accept(p, text))
        return;
    snprintf(what, sizeof what, "'%s' %s", text, where);
    parser_expected(p, what);
}

const char *parser_identifier(struct parser *p, const char *of_what)
{
    char what[200];

    if (p->failed)
        return "";
    if (p->at->kind != TOKEN_WORD) {
        snprintf(what, sizeof what, "the name of %s", of_what);
        parser_expected(p, what);
        return "";
    }
    if (p->at->is_reserved) {
        parser_fail(p, "'%s' is a reserved word of SIDL and cannot be the name of %s", p->at->text,
                    of_what);
        return "";
    }
    return p->at++->text;
}

bool parser_enter(struct parser *p)
{
    if (++p->depth > MAX_DEPTH)
        parser_fail(p, "nested more than %d deep, write it flatter", MAX_DEPTH);
    return !p->failed;
}

void parser_leave(struct parser *p)
{
    p->depth--;
}

void parser_recover(struct parser *p)
{
    int open = 0;

    p->failed = false;
    while (p->at->kind != TOKEN_END) {
        if (parser_is(p, "{"))
            open++;
        if (parser_is(p, "}") && open-- == 0)
            return;
        p->at++;
        if (open == 0 && p->at[-1].kind == TOKEN_SYMBOL &&
            (strcmp(p->at[-1].text, ";") == 0 || strcmp(p->at[-1].text, "}") == 0))
            return;
    }
}

static const char *read_version(struct parser *p)
{
    if (p->at->kind != TOKEN_INTEGER && p->at->kind != TOKEN_REAL && p->at->kind != TOKEN_VERSION)
        parser_expected(p, "a version like 1.0");
    return p->failed ? NULL : p->at++->text;
}

static void read_user_type(struct parser *p);

/* The package of that name in SCOPE, made or reopened. */
static struct portolan_sidl_symbol *open_package(struct parser *p, const char *name,
                                                 const struct token *token,
                                                 const struct modifiers *m)
{
    struct portolan_sidl_symbol *package = symbol_child(p->scope, name);

    if (!package) {
        package = symbol_add(p->model, p->scope, PORTOLAN_SIDL_PACKAGE, name, token->place);
        package->flags = m->flags;
        package->attributes = m->attributes;
        package->n_attributes = m->n_attributes;
    } else if (package->kind != PORTOLAN_SIDL_PACKAGE) {
        diagnose_at(p->d, &token->place, "%s is already %s, declared at %s:%d", package->full_name,
                    symbol_kind_text(package), package->place.file, package->place.line);
        p->failed = true;
    } else if (package->flags & PORTOLAN_SIDL_FINAL) {
        diagnose_at(p->d, &token->place, "package %s is final since %s:%d and cannot be reopened",
                    package->full_name, package->place.file, package->place.line);
    }
    return package;
}

static void set_version(struct parser *p, struct portolan_sidl_symbol *package,
                        const struct token *token, const char *version)
{
    if (package->version && strcmp(package->version, version) != 0)
        diagnose_at(p->d, &token->place, "package %s has version %s since %s:%d, not %s",
                    package->full_name, package->version, package->place.file, package->place.line,
                    version);
    package->version = version;
}

static void read_package(struct parser *p, const struct modifiers *m, const char *comment)
{
    struct portolan_sidl_symbol *const around = p->scope;
    const int depth = p->depth;
    const struct modifiers none = {0};

    do { /* a.b.c opens three */
        const struct token *token = p->at;
        const char *name = parser_identifier(p, "a package");
        const bool is_last = !parser_is(p, ".");

        if (++p->depth > MAX_DEPTH)
            parser_fail(p, "nested more than %d deep, write it flatter", MAX_DEPTH);
        if (!p->failed)
            p->scope = open_package(p, name, token, is_last ? m : &none);
    } while (parser_accept(p, "."));
    if (!p->failed && comment && !p->scope->comment)
        p->scope->comment = comment;
    if (parser_accept(p, "version")) {
        const struct token *token = p->at;
        const char *version = read_version(p);

        if (version)
            set_version(p, p->scope, token, version);
    }
    parser_expect(p, "{", "and what the package holds");
    if (!p->failed) {
        while (p->at->kind != TOKEN_END && !parser_is(p, "}"))
            read_user_type(p);
        parser_expect(p, "}", "behind the package");
    }
    p->depth = depth;
    p->scope = around;
}

static struct portolan_sidl_symbol *declare(struct parser *p, enum portolan_sidl_symbol_kind kind,
                                            const struct modifiers *m, const char *comment)
{
    static const char *const what[] = {"a package", "an interface", "a class", "an enum",
                                       "a struct"};
    const struct portolan_sidl_place place = p->at->place;
    const char *name = parser_identifier(p, what[kind]);
    struct portolan_sidl_symbol *symbol, *other = p->failed ? NULL : symbol_child(p->scope, name);

    if (other)
        diagnose_at(p->d, &place, "%s is already %s, declared at %s:%d", other->full_name,
                    symbol_kind_text(other), other->place.file, other->place.line);
    symbol = symbol_add(p->model, other || p->failed ? NULL : p->scope, kind, name, place);
    symbol->package = p->scope;
    symbol->flags = m->flags;
    symbol->attributes = m->attributes;
    symbol->n_attributes = m->n_attributes;
    symbol->comment = comment;
    symbol->is_requested = p->file->is_requested;
    p->scope->is_requested |= p->file->is_requested;
    return symbol;
}

static void report_unknown_declaration(struct parser *p)
{
    static const char *const known[] = {"package",  "interface", "class",  "enum",   "struct",
                                        "abstract", "final",     "import", "require"};
    const char *nearest =
        p->at->kind == TOKEN_WORD
            ? portolan_nearest_word(p->at->text, known, sizeof known / sizeof *known)
            : NULL;

    if (nearest)
        parser_fail(p, "unknown word '%s', did you mean '%s'?", p->at->text, nearest);
    else
        parser_expected(p, "package, interface, class, enum or struct");
}

static void read_user_type(struct parser *p)
{
    const char *comment = p->at->comment;
    const struct modifiers m = parser_modifiers(p);

    if (parser_accept(p, "package"))
        read_package(p, &m, comment);
    else if (parser_accept(p, "interface"))
        parser_interface(p, declare(p, PORTOLAN_SIDL_INTERFACE, &m, comment));
    else if (parser_accept(p, "class"))
        parser_class(p, declare(p, PORTOLAN_SIDL_CLASS, &m, comment));
    else if (parser_accept(p, "enum"))
        parser_enum(p, declare(p, PORTOLAN_SIDL_ENUMERATION, &m, comment));
    else if (parser_accept(p, "struct"))
        parser_struct(p, declare(p, PORTOLAN_SIDL_STRUCTURE, &m, comment));
    else
        report_unknown_declaration(p);
    if (p->failed)
        parser_recover(p);
    parser_accept(p, ";");
}

static void read_import(struct parser *p, bool is_import)
{
    struct import import = {.is_import = is_import, .place = p->at->place};

    import.name = parser_name(p);
    if (parser_accept(p, "version"))
        import.version = read_version(p);
    else if (!is_import)
        parser_expected(p, "'version' and the version that is required");
    for (size_t i = 0; i < p->file->n_imports && !p->failed; i++)
        if (p->file->imports[i].is_import == is_import &&
            strcmp(p->file->imports[i].name, import.name) == 0)
            diagnose_at(p->d, &import.place, "%s is %s twice, the first time in line %d",
                        import.name, is_import ? "imported" : "required",
                        p->file->imports[i].place.line);
    parser_expect(p, ";", "behind it");
    if (p->failed)
        parser_recover(p);
    else
        ARENA_PUSH(p->arena, p->file->imports, p->file->n_imports, import);
}

void parser_read(struct portolan_sidl_model *model, struct file *file, const char *text,
                 size_t size, struct portolan_diagnostics *d)
{
    struct parser p = {
        .model = model, .arena = &model->arena, .d = d, .file = file, .scope = model->global};

    p.at = lexer_read(p.arena, file->name, text, size, d).list;
    while (p.at->kind != TOKEN_END) {
        if (parser_is(&p, "}")) {
            diagnose_at(d, &p.at->place, "'}' closes nothing, remove it");
            p.at++;
        } else if (parser_accept(&p, "require")) {
            read_import(&p, false);
        } else if (parser_accept(&p, "import")) {
            read_import(&p, true);
        } else {
            read_user_type(&p);
        }
    }
}
