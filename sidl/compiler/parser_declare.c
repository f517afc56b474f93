/* SPDX-License-Identifier: BSD-3-Clause */
/* Packages, types, and their members. */
#include "parser.h"

#include <ctype.h>
#include <string.h>

struct modifiers parser_modifiers(struct parser *p)
{
    static const struct {
        const char *word;
        unsigned flag;
    } known[] = {{"abstract", PORTOLAN_SIDL_ABSTRACT}, {"final", PORTOLAN_SIDL_FINAL},
                 {"static", PORTOLAN_SIDL_STATIC},     {"oneway", PORTOLAN_SIDL_ONEWAY},
                 {"local", PORTOLAN_SIDL_LOCAL},       {"nonblocking", PORTOLAN_SIDL_NONBLOCKING},
                 {"copy", PORTOLAN_SIDL_COPY}};
    struct modifiers m = {0};
    bool again;

    do {
        again = parser_is(p, "%");
        parser_attributes(p, &m.attributes, &m.n_attributes);
        for (size_t i = 0; i < sizeof known / sizeof *known && !p->failed; i++) {
            if (!parser_is(p, known[i].word))
                continue;
            if (m.flags & known[i].flag)
                diagnose_at(p->d, &p->at->place, "'%s' is given twice; remove one", known[i].word);
            m.flags |= known[i].flag;
            p->at++;
            again = true;
        }
    } while (again && !p->failed);
    return m;
}

/* Reads a type that begins inside the {…} of SYMBOL. True: the '}' of SYMBOL is missing. */
static bool read_misplaced(struct parser *p, const struct portolan_sidl_symbol *symbol)
{
    const struct token *t = p->at;

    while (t->is_reserved && t[1].kind == TOKEN_WORD)
        t++;
    if (p->braces > 0) {
        p->braces--;
        if (!parser_has_reported(p))
            diagnose_at(p->d, &p->at->place,
                        "%s begins here, but the '}' of %s (line %d) is missing", t->text,
                        symbol->name, symbol->place.line);
        return true;
    }
    if (!parser_has_reported(p))
        diagnose_at(p->d, &p->at->place,
                    "types cannot be nested; declare %s beside %s, not inside it", t->text,
                    symbol->name);
    if (parser_enter(p))
        parser_user_type(p);
    parser_leave(p);
    return false;
}

/* Members of types: methods, enumerators, fields */

/* Reads the {…} around the members WHAT, with READ for each; recovers after a problem. */
static void read_members(struct parser *p, struct portolan_sidl_symbol *symbol, const char *what,
                         void (*read)(struct parser *p, struct portolan_sidl_symbol *symbol))
{
    parser_recover_body(p);
    parser_expect(p, "{", portolan_arena_printf(p->arena, "and the %s", what));
    if (p->failed)
        return;
    while (p->at->kind != TOKEN_END && !parser_is(p, "}")) {
        if (!token_begins_declaration(p->at))
            read(p, symbol);
        else if (read_misplaced(p, symbol))
            return;
        if (p->failed) {
            symbol->own.is_broken = true;
            parser_recover(p, false);
        }
    }
    parser_expect(p, "}", portolan_arena_printf(p->arena, "after the %s", what));
}

static void read_method(struct parser *p, struct portolan_sidl_symbol *symbol)
{
    if (parser_is(p, "invariant") && symbol->n_methods)
        diagnose_at(p->d, &p->at->place, "invariants must come before the methods of %s",
                    symbol->name);
    if (parser_accept(p, "invariant"))
        parser_clauses(p, &symbol->invariants, &symbol->n_invariants);
    else
        parser_method(p, symbol);
}

static void read_interface(struct parser *p, struct portolan_sidl_symbol *symbol)
{
    if (parser_is(p, "implements") || parser_is(p, "implements-all"))
        parser_fail(p, "an interface extends other interfaces; only classes implement them");
    if (parser_is(p, ":"))
        parser_fail(p, "a parent follows the word 'extends', not ':'");
    if (parser_accept(p, "extends"))
        parser_named_types(p, &symbol->extends, &symbol->n_extends);
    symbol->own.is_rootless = p->failed;
    symbol->own.is_broken |= p->failed;
    read_members(p, symbol, "methods", read_method);
}

static void read_class(struct parser *p, struct portolan_sidl_symbol *symbol)
{
    if (parser_is(p, ":"))
        parser_fail(p, "a parent follows the word 'extends', not ':'");
    if (parser_accept(p, "extends")) {
        struct portolan_sidl_type *parent = parser_named_type(p);

        if (parser_is(p, ","))
            parser_fail(p, "a class can extend only one class; name interfaces after 'implements'");
        ARENA_PUSH(p->arena, symbol->extends, symbol->n_extends, parent);
    }
    while (!p->failed && (parser_is(p, "implements") || parser_is(p, "implements-all"))) {
        const bool is_all = parser_is(p, "implements-all");
        const size_t first = symbol->n_implements;

        p->at++;
        parser_named_types(p, &symbol->implements, &symbol->n_implements);
        for (size_t i = first; i < symbol->n_implements; i++)
            symbol->implements[i]->is_all = is_all;
    }
    if (parser_is(p, "extends"))
        parser_fail(p, "'extends' must come before 'implements', and only once");
    symbol->own.is_rootless = p->failed;
    symbol->own.is_broken |= p->failed;
    read_members(p, symbol, "methods", read_method);
}

static void read_enumerator_value(struct parser *p, struct portolan_sidl_enumerator *e)
{
    const bool is_negative = parser_accept(p, "-");

    if (!is_negative)
        parser_accept(p, "+");
    e->is_explicit = true;
    if (p->at->kind != TOKEN_INTEGER) {
        parser_expected(p, "an integer");
        return;
    }
    e->value = parser_integer(p);
    if (is_negative)
        e->value = -e->value;
}

/* Reads one enumerator; after a problem, continues at the next one. */
static void read_enumerator(struct parser *p, struct portolan_sidl_symbol *symbol)
{
    struct portolan_sidl_enumerator e = {.comment = p->at->comment, .place = p->at->place};

    e.name = parser_identifier(p, "an enumerator");
    if (parser_accept(p, "="))
        read_enumerator_value(p, &e);
    if (!p->failed && !parser_is(p, ",") && !parser_is(p, "}"))
        parser_expected(p, "'}' or ',' after an enumerator");
    if (!p->failed) {
        ARENA_PUSH(p->arena, symbol->enumerators, symbol->n_enumerators, e);
        return;
    }
    symbol->own.is_broken = true;
    while (p->at->kind != TOKEN_END && !parser_is(p, ",") && !parser_is(p, "}") &&
           !token_begins_declaration(p->at))
        p->at++;
    p->failed = false;
}

static void read_enum(struct parser *p, struct portolan_sidl_symbol *symbol)
{
    parser_recover_body(p);
    parser_expect(p, "{", "and the enumerators");
    if (p->failed)
        return;
    do {
        if (parser_is(p, "}") || p->at->kind == TOKEN_END)
            break;
        read_enumerator(p, symbol);
    } while (parser_accept(p, ","));
    if (p->at->kind != TOKEN_END && symbol->n_enumerators == 0 && !symbol->own.is_broken)
        parser_fail(p, "an enum needs at least one enumerator");
    parser_expect(p, "}", "after the enumerators");
    if (p->failed && parser_is(p, "}")) {
        p->failed = false;
        p->at++;
    }
}

static void read_field(struct parser *p, struct portolan_sidl_symbol *symbol)
{
    struct portolan_sidl_field field = {.comment = p->at->comment};

    field.type = parser_type(p);
    field.place = p->at->place;
    field.name = parser_identifier(p, "a field");
    if (!p->failed && field.type->kind == PORTOLAN_SIDL_RARRAY)
        parser_extents(p, field.type);
    if (parser_is(p, "="))
        parser_fail(p, "a field cannot have a value here; set it where the struct is made");
    parser_semicolon(p, "after the field");
    if (!p->failed)
        ARENA_PUSH(p->arena, symbol->fields, symbol->n_fields, field);
}

/* Packages and the heads of types */

/* A symbol that cannot be found by name, for a body whose name is taken or unreadable. */
static struct portolan_sidl_symbol *new_detached(struct parser *p,
                                                 enum portolan_sidl_symbol_kind kind,
                                                 const char *name, struct portolan_sidl_place place)
{
    struct portolan_sidl_symbol *symbol = symbol_add(p->model, NULL, kind, name, place);

    symbol->package = p->scope;
    symbol->own.is_broken = true;
    return symbol;
}

/* In Babel, names that differ only in case are equal, because of file systems and Fortran. */
static void check_case(struct parser *p, const char *name, const struct portolan_sidl_place *place)
{
    const struct portolan_sidl_symbol *other;
    const void **entry;
    char *lower = portolan_arena_printf(p->arena, "%s.%s", p->scope->full_name, name);

    for (char *c = lower; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    entry = names_add(&p->model->lower_case, lower, strlen(lower));
    other = *entry;
    if (!other)
        *entry = symbol_child(p->model, p->scope, name);
    else if (strcmp(other->name, name) != 0)
        diagnose_at(p->d, place,
                    "%s differs only in case from %s in %s:%d, which file names may not "
                    "distinguish; rename one",
                    name, other->name, other->place.file, other->place.line);
}

static void check_reopening(struct parser *p, const struct portolan_sidl_symbol *package,
                            const struct token *token, const struct modifiers *m)
{
    if (package->flags & PORTOLAN_SIDL_FINAL)
        diagnose_at(p->d, &token->place,
                    "package %s was made final in %s:%d and cannot be reopened", package->full_name,
                    package->place.file, package->place.line);
    else if (m->flags & PORTOLAN_SIDL_FINAL)
        diagnose_at(p->d, &token->place,
                    "package %s was opened without 'final' in %s:%d and cannot become final; write "
                    "'final' there, and the whole package in one place",
                    package->full_name, package->place.file, package->place.line);
}

/* The package of that name in SCOPE, made or reopened. */
static struct portolan_sidl_symbol *open_package(struct parser *p, const char *name,
                                                 const struct token *token,
                                                 const struct modifiers *m)
{
    struct portolan_sidl_symbol *package = symbol_child(p->model, p->scope, name);

    if (package && package->kind != PORTOLAN_SIDL_PACKAGE) {
        diagnose_at(p->d, &token->place, "%s is already %s, declared at %s:%d", package->full_name,
                    symbol_kind_text(package->kind), package->place.file, package->place.line);
        return new_detached(p, PORTOLAN_SIDL_PACKAGE, name, token->place);
    }
    if (package) {
        check_reopening(p, package, token, m);
    } else {
        package = symbol_add(p->model, p->scope, PORTOLAN_SIDL_PACKAGE, name, token->place);
        if (!package->own.is_detached)
            check_case(p, name, &token->place);
        package->flags = m->flags;
    }
    for (size_t i = 0; i < m->n_attributes; i++)
        ARENA_PUSH(p->arena, package->attributes, package->n_attributes, m->attributes[i]);
    return package;
}

static void set_version(struct parser *p, struct portolan_sidl_symbol *package,
                        const struct token *token, const char *version)
{
    if (package->version && strcmp(package->version, version) != 0)
        diagnose_at(p->d, &token->place, "package %s has version %s, declared at %s:%d, not %s",
                    package->full_name, package->version, package->place.file, package->place.line,
                    version);
    else
        package->version = version;
}

/* package a.b.c: what the manual shows and old files have, but Babel 2.0 refuses. */
static void report_dotted(struct parser *p, const struct token *first)
{
    struct portolan_text dotted = {.arena = p->arena}, nested = {.arena = p->arena};
    size_t depth = 0;

    for (const struct token *t = first; t < p->at && depth < MAX_DEPTH; t += 2, depth++) {
        portolan_text_add(&dotted, "%s%s", depth ? "." : "", t->text);
        portolan_text_add(&nested, "%spackage %s", depth ? " { " : "", t->text);
    }
    portolan_text_add(&nested, " version 1.0 { …");
    while (depth--)
        portolan_text_add(&nested, " }");
    diagnose_at(p->d, &first->place,
                "Babel 2.0 has no dotted package names; instead of package %s write %s",
                dotted.bytes, nested.bytes);
}

/* Reads the name after the word package and opens the package. False when it is unreadable. */
static bool read_package_name(struct parser *p, const struct modifiers *m)
{
    const struct token *first = p->at;
    const struct modifiers none = {0};
    bool is_last;

    do {
        const struct token *token = p->at;
        const char *name = parser_identifier(p, "a package");

        is_last = !parser_is(p, ".");
        if (++p->depth > MAX_DEPTH)
            parser_fail(p, "nested more than %d deep; use fewer levels", MAX_DEPTH);
        if (p->failed)
            return false;
        p->scope = open_package(p, name, token, is_last ? m : &none);
    } while (parser_accept(p, "."));
    if (p->at > first + 1)
        report_dotted(p, first);
    return true;
}

static void read_package(struct parser *p, const struct modifiers *m, const char *comment)
{
    struct portolan_sidl_symbol *const around = p->scope;
    const int depth = p->depth;
    const struct token *const start = p->at;

    if (!read_package_name(p, m))
        p->scope = new_detached(p, PORTOLAN_SIDL_PACKAGE, "", start->place);
    if (comment && !p->scope->comment)
        p->scope->comment = comment;
    if (parser_accept(p, "version")) {
        const struct token *token = p->at;
        const char *version = parser_version(p);

        if (version)
            set_version(p, p->scope, token, version);
    }
    p->scope->own.is_broken |= p->failed;
    if (p->depth <= MAX_DEPTH)
        parser_recover_body(p);
    parser_expect(p, "{", "and the contents of the package");
    if (!p->failed) {
        while (p->at->kind != TOKEN_END && !parser_is(p, "}"))
            parser_user_type(p);
        parser_expect(p, "}", "after the package");
    }
    p->depth = depth;
    p->scope = around;
}

static struct portolan_sidl_symbol *declare_symbol(struct parser *p,
                                                   enum portolan_sidl_symbol_kind kind,
                                                   const struct modifiers *m, const char *comment)
{
    const struct token *token = p->at;
    const char *name = parser_identifier(p, symbol_kind_text(kind));
    struct portolan_sidl_symbol *symbol, *other;

    other = p->failed ? NULL : symbol_child(p->model, p->scope, name);
    if (other)
        diagnose_at(p->d, &token->place, "%s is already %s, declared at %s:%d", other->full_name,
                    symbol_kind_text(other->kind), other->place.file, other->place.line);
    if (other || p->failed) {
        symbol = new_detached(p, kind, name, token->place);
    } else {
        symbol = symbol_add(p->model, p->scope, kind, name, token->place);
        if (symbol->own.is_detached)
            *names_add(&p->model->lost, name, strlen(name)) = p->model;
        else
            check_case(p, name, &token->place);
    }
    symbol->flags = m->flags;
    symbol->attributes = m->attributes;
    symbol->n_attributes = m->n_attributes;
    symbol->comment = comment;
    symbol->own.is_astray = p->scope == p->model->global && p->file->is_unbalanced;
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

    if (parser_is(p, "version"))
        parser_fail(p, "a version follows the name of its package: package NAME version 1.0 { … } "
                       "(the oldest SIDL had a separate line)");
    else if (parser_is(p, "module"))
        parser_fail(p, "'module' is CORBA's word; write 'package'");
    else if (parser_is(p, "require") || parser_is(p, "import"))
        parser_fail(p, "'%s' must come before all packages, not inside one", p->at->text);
    else if (nearest)
        parser_fail(p, "unknown word '%s'%s", p->at->text, portolan_did_you_mean(nearest).text);
    else
        parser_expected(p, "package, interface, class, enum or struct");
}

void parser_user_type(struct parser *p)
{
    const char *comment = p->at->comment;
    const struct modifiers m = parser_modifiers(p);

    if (parser_accept(p, "package"))
        read_package(p, &m, comment);
    else if (parser_accept(p, "interface"))
        read_interface(p, declare_symbol(p, PORTOLAN_SIDL_INTERFACE, &m, comment));
    else if (parser_accept(p, "class"))
        read_class(p, declare_symbol(p, PORTOLAN_SIDL_CLASS, &m, comment));
    else if (parser_accept(p, "enum"))
        read_enum(p, declare_symbol(p, PORTOLAN_SIDL_ENUMERATION, &m, comment));
    else if (parser_accept(p, "struct"))
        read_members(p, declare_symbol(p, PORTOLAN_SIDL_STRUCTURE, &m, comment), "fields",
                     read_field);
    else
        report_unknown_declaration(p);
    if (p->failed)
        parser_recover(p, true);
    parser_accept(p, ";");
}
