/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions on named values, some of which may be unknown. */
#include <portolan/base.h>

#include <string.h>

enum { DEPTH_MAX = 100 };

enum kind { COMPARISON, AND, OR, NOT };

struct node {
    enum kind kind;
    const struct node *left, *right; /* NOT has a left only */
    const char *name, *value;        /* of comparisons */
    enum { EQUAL, UNEQUAL, LESS, LESS_EQUAL, MORE, MORE_EQUAL } op;
    struct node *next; /* comparison, in the order of the text */
};

struct portolan_condition {
    struct portolan_arena arena; /* holds everything, this struct too */
    const struct node *root;
    struct node *first, *last;
};

static const char *const ops[] = {"=", "!=", "<", "<=", ">", ">="};

struct parser {
    struct portolan_condition *c;
    const char *text, *at; /* at the token */
    size_t length;         /* of the token; 0 at the end */
    int depth;
    struct portolan_error *err;
    enum portolan_status status;
};

static bool is_in(const char *set, char c)
{
    return c && strchr(set, c);
}

static void next_token(struct parser *p)
{
    const char *at = p->at + p->length;

    p->at = at += strspn(at, " \t\r\n");
    if (*at == '\'')
        p->length = strcspn(at + 1, "'") + 1 + (strchr(at + 1, '\'') != NULL);
    else if (is_in("()", *at))
        p->length = 1;
    else if (is_in("=!<>", *at))
        p->length = strspn(at, "=!<>");
    else
        p->length = strcspn(at, " \t\r\n'()=!<>");
}

static const struct node *fail_parse(struct parser *p, const char *want)
{
    if (!p->status)
        p->status = portolan_error_set(p->err, PORTOLAN_ESYNTAX,
                                       "'%.200s', character %td: %s%.*s%s, want %s", p->text,
                                       p->at - p->text + 1, p->length ? "'" : "the end",
                                       (int)p->length, p->at, p->length ? "'" : "", want);
    return NULL;
}

static bool is_word(const struct parser *p, const char *word)
{
    return p->length == strlen(word) && !strncmp(p->at, word, p->length);
}

static bool take_word(struct parser *p, const char *word)
{
    bool is = is_word(p, word);

    if (is)
        next_token(p);
    return is;
}

static struct node *new_node(struct parser *p, enum kind kind, const struct node *left,
                             const struct node *right)
{
    struct node *n = portolan_arena_alloc(&p->c->arena, 1, sizeof *n);

    if (n)
        *n = (struct node){.kind = kind, .left = left, .right = right};
    else
        p->status = PORTOLAN_ENOMEM;
    return n;
}

static const char *take_text(struct parser *p, size_t skip)
{
    const char *text = portolan_arena_strndup(&p->c->arena, p->at + skip, p->length - 2 * skip);

    if (!text)
        p->status = PORTOLAN_ENOMEM;
    next_token(p);
    return text;
}

/* A number, or true or false. */
static bool read_number(const char *text, double *number)
{
    bool is_true = !strcmp(text, "true");

    *number = is_true;
    return is_true || !strcmp(text, "false") || portolan_read_double(text, number);
}

static const struct node *parse_value(struct parser *p, struct node *n)
{
    const char *at = p->at;
    size_t length = p->length;
    bool quoted = *p->at == '\'';
    double ignored;

    if (!p->length || is_in("()=!<>", *p->at))
        return fail_parse(p, "a number, a word or a 'quoted text'");
    if (quoted && (p->length < 2 || p->at[p->length - 1] != '\''))
        return fail_parse(p, "a quote that closes it");
    if (!(n->value = take_text(p, quoted)))
        return NULL;
    if (n->op < LESS || read_number(n->value, &ignored))
        return n;
    p->at = at;
    p->length = length;
    return fail_parse(p, "a number, for texts have no order");
}

static const struct node *parse_comparison(struct parser *p)
{
    struct node *n = new_node(p, COMPARISON, NULL, NULL);
    size_t op = 0;

    if (!n)
        return NULL;
    if (!p->length || is_in("'()=!<>", *p->at) || is_word(p, "and") || is_word(p, "or"))
        return fail_parse(p, "a name, \"not\" or \"(\"");
    if (!(n->name = take_text(p, 0)))
        return NULL;
    while (op < sizeof ops / sizeof *ops && !is_word(p, ops[op]))
        op++;
    if (op == sizeof ops / sizeof *ops)
        return fail_parse(p, "=, !=, <, <=, > or >=");
    n->op = op;
    next_token(p);
    *(p->c->last ? &p->c->last->next : &p->c->first) = n;
    p->c->last = n;
    return parse_value(p, n);
}

static const struct node *parse_or(struct parser *p);

static const struct node *parse_operand(struct parser *p)
{
    const struct node *n = NULL;

    if (p->depth == DEPTH_MAX)
        return fail_parse(p, "fewer parentheses");
    p->depth++;
    if (take_word(p, "not")) {
        if ((n = parse_operand(p)))
            n = new_node(p, NOT, n, NULL);
    } else if (take_word(p, "(")) {
        if ((n = parse_or(p)) && !take_word(p, ")"))
            n = fail_parse(p, "\"and\", \"or\" or \")\"");
    } else {
        n = parse_comparison(p);
    }
    p->depth--;
    return n;
}

static const struct node *parse_and(struct parser *p)
{
    const struct node *n = parse_operand(p), *right;

    while (n && take_word(p, "and"))
        n = (right = parse_operand(p)) ? new_node(p, AND, n, right) : NULL;
    return n;
}

static const struct node *parse_or(struct parser *p)
{
    const struct node *n = parse_and(p), *right;

    while (n && take_word(p, "or"))
        n = (right = parse_and(p)) ? new_node(p, OR, n, right) : NULL;
    return n;
}

enum portolan_status portolan_condition_parse(const char *text,
                                              struct portolan_condition **condition,
                                              struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    struct portolan_condition *c = portolan_arena_alloc(&arena, 1, sizeof *c);
    struct parser p = {.c = c, .text = text, .at = text, .err = err};

    *condition = NULL;
    if (!c)
        return portolan_no_memory(err);
    c->arena = arena;
    next_token(&p);
    c->root = parse_or(&p);
    if (c->root && p.length)
        c->root = fail_parse(&p, "\"and\", \"or\" or the end");
    if (c->root) {
        *condition = c;
        return PORTOLAN_OK;
    }
    portolan_condition_destroy(c);
    return portolan_error_set(err, p.status, "out of memory");
}

void portolan_condition_destroy(struct portolan_condition *condition)
{
    struct portolan_arena arena;

    if (!condition)
        return;
    arena = condition->arena;
    portolan_arena_clear(&arena);
}

static enum portolan_answer compare_values(const struct node *n,
                                           portolan_condition_lookup_fn lookup, void *arg)
{
    struct portolan_condition_value value = {0};
    double x, y;
    bool are_numbers, equal;

    if (!lookup(arg, n->name, &value))
        return PORTOLAN_UNKNOWN;
    x = value.number;
    are_numbers = (!value.text || read_number(value.text, &x)) && read_number(n->value, &y);
    if (n->op >= LESS && !are_numbers)
        return PORTOLAN_UNKNOWN;
    if (are_numbers && (x < y || x > y)) {
        bool less = x < y;

        return n->op == UNEQUAL || (less ? n->op == LESS || n->op == LESS_EQUAL
                                         : n->op == MORE || n->op == MORE_EQUAL)
                   ? PORTOLAN_YES
                   : PORTOLAN_NO;
    }
    equal = are_numbers || (value.text && !strcmp(value.text, n->value));
    if (n->op == UNEQUAL)
        equal = !equal;
    return equal && n->op != LESS && n->op != MORE ? PORTOLAN_YES : PORTOLAN_NO;
}

static enum portolan_answer evaluate_node(const struct node *n, portolan_condition_lookup_fn lookup,
                                          void *arg)
{
    enum portolan_answer left, right, decisive;

    if (n->kind == COMPARISON)
        return compare_values(n, lookup, arg);
    left = evaluate_node(n->left, lookup, arg);
    if (n->kind == NOT)
        return left == PORTOLAN_UNKNOWN ? left : left == PORTOLAN_NO ? PORTOLAN_YES : PORTOLAN_NO;
    decisive = n->kind == AND ? PORTOLAN_NO : PORTOLAN_YES;
    if (left == decisive)
        return left;
    right = evaluate_node(n->right, lookup, arg);
    return right == decisive || left != PORTOLAN_UNKNOWN ? right : left;
}

enum portolan_answer portolan_condition_evaluate(const struct portolan_condition *condition,
                                                 portolan_condition_lookup_fn lookup, void *arg)
{
    return evaluate_node(condition->root, lookup, arg);
}

bool portolan_condition_number(portolan_condition_lookup_fn lookup, void *arg, const char *name,
                               double low, double high, double *number)
{
    struct portolan_condition_value value = {0};

    if (!lookup(arg, name, &value))
        return false;
    *number = value.number;
    return (!value.text || read_number(value.text, number)) && *number >= low && *number <= high;
}

const char *portolan_condition_peek_name(const struct portolan_condition *condition, size_t index)
{
    const struct node *n = condition->first;

    while (n && index--)
        n = n->next;
    return n ? n->name : NULL;
}
