/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads files, with helpers for all parts of the parser. */
#include "parser.h"

#include <stdio.h>
#include <string.h>

/* Returns whether the problem here was reported already: by the lexer, or as an early end of the
 * file. */
bool parser_has_reported(struct parser *p)
{
    if (p->at->kind == TOKEN_END) {
        if (p->has_reported_end)
            return true;
        p->has_reported_end = true;
    }
    return p->at->is_spoilt || (p->at > p->first && p->at[-1].is_spoilt);
}

void parser_fail(struct parser *p, const char *format, ...)
{
    char text[1000];
    va_list args;

    if (p->failed)
        return;
    p->failed = true;
    if (parser_has_reported(p))
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diagnose_at(p->d, &p->at->place, "%s", text);
}

void parser_expected(struct parser *p, const char *what)
{
    const struct token *t = p->at;

    if (t->kind == TOKEN_END)
        parser_fail(p, "the file ends here, expected %s", what);
    else if (t->kind == TOKEN_EXTENSION)
        parser_fail(p, "expected %s, not '[%s]'", what, t->text);
    else if (t->kind == TOKEN_STRING)
        parser_fail(p, "expected %s, not \"%s\"", what, t->text);
    else
        parser_fail(p, "expected %s, not '%s'", what, t->text);
}

bool parser_is(const struct parser *p, const char *text)
{
    return token_is(p->at, text);
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

void parser_semicolon(struct parser *p, const char *where)
{
    const struct token *last = p->at - 1;
    struct portolan_sidl_place end;

    if (p->failed || parser_accept(p, ";"))
        return;
    if (p->at == p->first || p->at->kind == TOKEN_END ||
        !(p->at->starts_line || parser_is(p, "}"))) {
        parser_expect(p, ";", where);
        return;
    }
    end = last->place;
    end.line = last->end_line;
    end.column = last->end_column;
    if (!parser_has_reported(p))
        diagnose_at(p->d, &end, "expected ';' %s", where);
}

const char *parser_identifier(struct parser *p, const char *of_what)
{
    /* Old SIDL files may use these as names. */
    static const char *const new_words[] = {
        "and",  "else", "ensure", "from",        "iff",  "implies", "invariant",
        "is",   "mod",  "not",    "nonblocking", "null", "or",      "order",
        "pure", "rem",  "rarray", "require",     "then", "result",  "struct",
        "xor",  "true", "false",  NULL};
    char what[200];

    if (p->failed)
        return "";
    if (p->at->kind != TOKEN_WORD) {
        snprintf(what, sizeof what, "the name of %s", of_what);
        parser_expected(p, what);
        return "";
    }
    if (p->at->is_reserved) {
        parser_fail(
            p, "'%s' is a reserved word of SIDL%s and cannot be the name of %s; choose another",
            p->at->text,
            word_is_one_of(p->at->text, new_words) ? " (since contracts and structs were added)"
                                                   : "",
            of_what);
        return "";
    }
    return p->at++->text;
}

bool parser_enter(struct parser *p)
{
    if (++p->depth > MAX_DEPTH)
        parser_fail(p, "nested more than %d deep; use fewer levels", MAX_DEPTH);
    return !p->failed;
}

void parser_leave(struct parser *p)
{
    p->depth--;
}

const char *parser_version(struct parser *p)
{
    const char *text = p->at->text;

    if ((p->at->kind != TOKEN_INTEGER && p->at->kind != TOKEN_REAL &&
         p->at->kind != TOKEN_VERSION) ||
        strspn(text, "0123456789.") != strlen(text) || *text == '.' ||
        text[strlen(text) - 1] == '.')
        parser_expected(p, "a version like 1.0, numbers joined by dots");
    return p->failed ? NULL : p->at++->text;
}

/*
 * Recovery: where reading continues after a problem, so that further ones are found, too, and none
 * is reported twice.
 */

static bool is_word_of(const struct token *token, const char *const *words)
{
    return token->kind == TOKEN_WORD && word_is_one_of(token->text, words);
}

static bool is_declaration_word(const struct token *token)
{
    static const char *const words[] = {"package", "interface", "class", "enum", "struct", NULL};

    return is_word_of(token, words);
}

bool token_begins_declaration(const struct token *token)
{
    static const char *const behind[] = {"extends", "implements", "implements-all", "version",
                                         NULL};

    while (token_is(token, "abstract") || token_is(token, "final"))
        token++;
    return is_declaration_word(token) && token[1].kind == TOKEN_WORD &&
           (token_is(&token[2], "{") || is_word_of(&token[2], behind));
}

/* Returns whether a line certainly begins a declaration or a member. */
static bool begins_anew(const struct token *token)
{
    static const char *const types[] = {"void",  "bool", "char", "dcomplex", "double", "fcomplex",
                                        "float", "int",  "long", "opaque",   "string", NULL};
    static const char *const others[] = {"static",  "final",  "abstract",  "oneway",      "local",
                                         "require", "ensure", "invariant", "nonblocking", NULL};

    if (!token->starts_line)
        return false;
    if (is_word_of(token, types))
        return token[1].kind == TOKEN_WORD &&
               (token[2].kind == TOKEN_EXTENSION || token_is(&token[2], "("));
    return is_word_of(token, others) || token_begins_declaration(token);
}

static void note_lost(struct parser *p, const struct token *token)
{
    if (token->kind == TOKEN_WORD && !token->is_reserved)
        *names_add(&p->model->lost, token->text, strlen(token->text)) = p->model;
}

void parser_recover(struct parser *p, bool declarations)
{
    const struct token *const start = p->at;
    int open = 0;

    p->failed = false;
    if (start == p->recovered && start->kind != TOKEN_END && !token_is(start, "}"))
        p->at++; /* never twice at the same place */
    for (; p->at->kind != TOKEN_END; p->at++) {
        if (declarations || (p->at > p->first && is_declaration_word(p->at - 1)))
            note_lost(p, p->at);
        if (open == 0 && !declarations && begins_anew(p->at) &&
            (p->at > start || start != p->recovered))
            break;
        if (token_is(p->at, "{"))
            open++;
        if (token_is(p->at, "}") && open-- == 0)
            break;
        if (open == 0 && (token_is(p->at, ";") || token_is(p->at, "}"))) {
            p->at++;
            break;
        }
    }
    p->recovered = p->at;
}

bool parser_recover_to(struct parser *p, const char *text)
{
    const struct token *t = p->at;

    while (t->kind != TOKEN_END && !token_is(t, text)) {
        if (token_is(t, ";") || token_is(t, "}") || token_is(t, "{") || begins_anew(t))
            return false;
        t++;
    }
    if (t->kind == TOKEN_END)
        return false;
    p->at = t;
    p->failed = false;
    return true;
}

void parser_recover_body(struct parser *p)
{
    if (p->failed)
        parser_recover_to(p, "{");
}

void parser_recover_argument(struct parser *p, const struct token *start)
{
    int parens = 0, angles = 0;

    for (const struct token *t = start; t->kind != TOKEN_END; t++) {
        if (t >= p->at) {
            if (token_is(t, ";") || token_is(t, "{") || token_is(t, "}") || begins_anew(t))
                return;
            if (parens == 0 && angles == 0 && (token_is(t, ",") || token_is(t, ")"))) {
                p->at = t;
                p->failed = false;
                return;
            }
        }
        parens += token_is(t, "(") - token_is(t, ")");
        angles += token_is(t, "<") - token_is(t, ">");
    }
}

/* Files */

/* require lines come first, then import lines, then packages. */
static void check_order(struct parser *p, bool is_import)
{
    const size_t n = p->file->n_imports;

    if (p->has_types)
        diagnose_at(p->d, &p->at->place, "'%s' must come before all packages",
                    is_import ? "import" : "require");
    else if (!is_import && n && p->file->imports[n - 1].is_import)
        diagnose_at(p->d, &p->at->place, "'require' must come before 'import'; move it up");
}

static void read_import(struct parser *p, bool is_import)
{
    struct import import = {.is_import = is_import};

    check_order(p, is_import);
    p->at++;
    import.place = p->at->place;
    import.name = parser_name(p);
    if (parser_accept(
            p, "version")) /* a missing version is reported in read.c, which knows the package */
        import.version = parser_version(p);
    for (size_t i = 0; i < p->file->n_imports && !p->failed; i++)
        if (p->file->imports[i].is_import == is_import &&
            strcmp(p->file->imports[i].name, import.name) == 0)
            diagnose_at(p->d, &import.place, "%s is %s twice, the first time in line %d",
                        import.name, is_import ? "imported" : "required",
                        p->file->imports[i].place.line);
    parser_semicolon(p, "after the package");
    if (p->failed) {
        p->file->hides_names = true;
        parser_recover(p, true);
    } else {
        ARENA_PUSH(p->arena, p->file->imports, p->file->n_imports, import);
    }
}

void parser_read(struct portolan_sidl_model *model, struct file *file, const char *text,
                 size_t size, struct portolan_diagnostics *d)
{
    const struct tokens tokens =
        lexer_read(&model->arena, &model->scratch, file->name, text, size, d);
    struct parser p = {.model = model,
                       .arena = &model->arena,
                       .d = d,
                       .file = file,
                       .scope = model->global,
                       .at = tokens.list,
                       .first = tokens.list,
                       .braces = tokens.braces};

    file->is_unbalanced = tokens.braces < 0;
    while (p.at->kind != TOKEN_END) {
        if (parser_is(&p, "}")) {
            diagnose_at(d, &p.at->place, "'}' has no matching '{'; remove it");
            p.at++;
            parser_accept(&p, ";");
        } else if (parser_is(&p, "require") || parser_is(&p, "import")) {
            read_import(&p, parser_is(&p, "import"));
        } else {
            p.has_types |= !parser_is(&p, "version"); /* an old dialect's line */
            parser_user_type(&p);
        }
    }
    /* because of unbalanced braces, a type may be in the wrong package */
    model->is_all_lost |= tokens.is_cut || p.braces != 0;
    portolan_arena_clear(&model->scratch);
}
