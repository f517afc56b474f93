/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where reading goes on behind a problem, so that the next one is found too and none is told
 * twice.
 */
#include "parser.h"

#include <string.h>

static bool is_one_of(const struct token *token, const char *const *words, size_t count)
{
    for (size_t i = 0; token->kind == TOKEN_WORD && i < count; i++)
        if (strcmp(token->text, words[i]) == 0)
            return true;
    return false;
}

static bool declares(const struct token *token)
{
    static const char *const words[] = {"package", "interface", "class", "enum", "struct"};

    return is_one_of(token, words, sizeof words / sizeof *words);
}

bool token_begins_declaration(const struct token *token)
{
    static const char *const behind[] = {"extends", "implements", "implements-all", "version"};

    while (token_is(token, "abstract") || token_is(token, "final"))
        token++;
    return declares(token) && token[1].kind == TOKEN_WORD &&
           (token_is(&token[2], "{") ||
            is_one_of(&token[2], behind, sizeof behind / sizeof *behind));
}

/* A line that can only begin something new: a declaration, or a member with a basic type. */
static bool begins_anew(const struct token *token)
{
    static const char *const types[] = {"void",  "bool", "char", "dcomplex", "double", "fcomplex",
                                        "float", "int",  "long", "opaque",   "string"};
    static const char *const others[] = {"static",  "final",  "abstract",  "oneway",     "local",
                                         "require", "ensure", "invariant", "nonblocking"};

    if (!token->starts_line)
        return false;
    if (is_one_of(token, types, sizeof types / sizeof *types))
        return token[1].kind == TOKEN_WORD &&
               (token[2].kind == TOKEN_EXTENSION || token_is(&token[2], "("));
    return is_one_of(token, others, sizeof others / sizeof *others) ||
           token_begins_declaration(token);
}

static void lose(struct parser *p, const struct token *token)
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
        if (declarations || (p->at > p->first && declares(p->at - 1)))
            lose(p, p->at);
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
