/* SPDX-License-Identifier: BSD-3-Clause */
#include "source.h"

#include <portolan/list.h>

#include <stdlib.h>
#include <string.h>

struct place knowledge_source_place(const struct source *source, size_t at)
{
    struct place place = {source->file, source->first_line, 1};

    for (size_t i = 0; i < at && i < source->size; i++) {
        place.column++;
        if (source->text[i] == '\n') {
            place.line++;
            place.column = 1;
        }
    }
    return place;
}

#define REPORT(source, at, ...)                                                                    \
    do {                                                                                           \
        struct place place_ = knowledge_source_place(source, at);                                  \
        portolan_diagnose((source)->d, place_.file, place_.line, place_.column, __VA_ARGS__);      \
    } while (0)

/* Tokens of CLIPS, as far as parentheses and strings hide in them. */
static size_t skip_blanks(const struct source *s, size_t at)
{
    while (at < s->size) {
        if (s->text[at] == ';')
            while (at < s->size && s->text[at] != '\n')
                at++;
        else if (strchr(" \t\r\n\f", s->text[at]))
            at++;
        else
            break;
    }
    return at;
}

static size_t token_end(const struct source *s, size_t at)
{
    if (at >= s->size)
        return at;
    if (s->text[at] == '"') {
        for (at++; at < s->size && s->text[at] != '"'; at++)
            at += s->text[at] == '\\' && at + 1 < s->size;
        return at < s->size ? at + 1 : at;
    }
    if (strchr("()", s->text[at]))
        return at + 1;
    while (at < s->size && !strchr(" \t\r\n\f()\";", s->text[at]))
        at++;
    return at;
}

/* After the ")" that closes the "(" at AT; 0 when there is none. */
static size_t form_end(const struct source *s, size_t at)
{
    int depth = 0;

    while (at < s->size) {
        depth += s->text[at] == '(';
        depth -= s->text[at] == ')';
        at = token_end(s, at);
        if (!depth)
            return at;
        at = skip_blanks(s, at);
    }
    return 0;
}

static char *token(const struct source *s, size_t at)
{
    char *text = portolan_arena_strndup(s->arena, s->text + at, token_end(s, at) - at);

    return text ? text : "";
}

/* The word after the "(" at AT, and where it ends. */
static char *head_of(const struct source *s, size_t at, size_t *end)
{
    at = skip_blanks(s, at + 1);
    *end = token_end(s, at);
    return at < s->size && !strchr("()\"", s->text[at]) ? token(s, at) : "";
}

static const char *nearest_slot(const struct fact_kind *kind, const char *word)
{
    const char *known[MOST_SLOTS];
    size_t n = 0;

    while (n < MOST_SLOTS && kind->slots[n].name) {
        known[n] = kind->slots[n].name;
        n++;
    }
    return portolan_nearest_word(word, known, n);
}

static const char *nearest_kind(const char *word)
{
    const char *known[32];
    size_t n = 0;

    for (size_t i = 0; i < n_fact_kinds && n < 32; i++)
        known[n++] = fact_kinds[i].name;
    return portolan_nearest_word(word, known, n);
}

static void list_words(const char *const *words, struct portolan_text *text)
{
    for (size_t i = 0; words[i]; i++)
        portolan_text_add(text, "%s%s", i ? words[i + 1] ? ", " : " or " : "", words[i]);
}

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(*words, word) == 0)
            return true;
    return false;
}

/* Values that CLIPS would refuse without saying which would be right. */
static bool check_value(struct source *s, const struct slot_kind *slot, size_t at)
{
    struct portolan_text right = {.arena = s->arena};
    const char *word = token(s, at);
    size_t n = 0;
    double number;

    if (slot->type == SLOT_WORD && !is_one_of(word, slot->words)) {
        while (slot->words[n])
            n++;
        list_words(slot->words, &right);
        REPORT(s, at, "'%s' is none of %s%s", word, right.bytes ? right.bytes : "",
               portolan_did_you_mean(portolan_nearest_word(word, slot->words, n)).text);
        return false;
    }
    if ((slot->type == SLOT_NUMBER || slot->type == SLOT_INTEGER) &&
        !portolan_read_double(word, &number)) {
        REPORT(s, at, "%s wants a number, not '%s'", slot->name, word);
        return false;
    }
    if ((slot->type == SLOT_FORMULA || slot->type == SLOT_PLACED) && *word != '"') {
        REPORT(s, at, "%s wants a text in quotes", slot->name);
        return false;
    }
    return true;
}

/* A slot at AT of a fact; true when it is right. */
static bool check_slot(struct source *s, const struct fact_kind *kind, size_t at, size_t end,
                       bool *seen)
{
    size_t value;
    const char *name = head_of(s, at, &value);
    const struct slot_kind *slot = slot_kind_find(kind, name);

    if (!slot) {
        REPORT(s, at + 1, "a %s has no slot '%s'%s", kind->name, name,
               portolan_did_you_mean(nearest_slot(kind, name)).text);
        return false;
    }
    if (seen[slot - kind->slots]) {
        REPORT(s, at + 1, "slot '%s' is given twice", name);
        return false;
    }
    seen[slot - kind->slots] = true;
    value = skip_blanks(s, value);
    if (slot->type == SLOT_NAMES)
        return true;
    if (value + 1 >= end) {
        REPORT(s, at + 1, "slot '%s' has no value", name);
        return false;
    }
    return check_value(s, slot, value);
}

static bool check_fact(struct source *s, const struct fact_kind *kind, size_t at, size_t end)
{
    bool seen[MOST_SLOTS] = {false}, is_right = true;
    size_t next;

    head_of(s, at, &next);
    while ((next = skip_blanks(s, next)) < end - 1) {
        if (s->text[next] == '(') {
            size_t close = form_end(s, next);

            is_right &= check_slot(s, kind, next, close, seen);
            next = close;
        } else {
            REPORT(s, next, "a %s is written (%s (SLOT VALUE) …), not with '%s'", kind->name,
                   kind->name, token(s, next));
            is_right = false;
            next = token_end(s, next);
        }
    }
    for (size_t i = 0; i < MOST_SLOTS && kind->slots[i].name; i++)
        if (kind->slots[i].is_needed && !seen[i]) {
            REPORT(s, at, "this %s has no '%s'", kind->name, kind->slots[i].name);
            is_right = false;
        }
    return is_right;
}

static void add_form(struct source *s, const struct form *form)
{
    portolan_arena_append(s->arena, &s->forms, &s->n_forms, form, sizeof *form);
}

/* The facts of (deffacts NAME ["comment"] FACT …). */
static void scan_facts(struct source *s, size_t at, size_t end)
{
    size_t next;

    head_of(s, at, &next);
    next = skip_blanks(s, next);
    if (s->text[next] == '(' || s->text[next] == ')') {
        REPORT(s, at, "deffacts wants a name before its facts");
        return;
    }
    while ((next = skip_blanks(s, next)) < end - 1) {
        struct form form = {NULL, next, 0, NULL, 0};
        const char *head;
        size_t after;

        if (s->text[next] != '(') {
            next = token_end(s, next);
            continue;
        }
        form.end = form_end(s, next);
        head = head_of(s, next, &after);
        form.kind = fact_kind_find(head);
        if (!form.kind && nearest_kind(head))
            REPORT(s, next + 1, "there is no fact '%s'%s", head,
                   portolan_did_you_mean(nearest_kind(head)).text);
        else if (!form.kind || check_fact(s, form.kind, next, form.end))
            add_form(s, &form);
        next = form.end;
    }
}

static void scan_rule(struct source *s, size_t at, size_t end)
{
    struct form form = {fact_kind_find("rule"), at, end, NULL, 0};
    size_t next;

    head_of(s, at, &next);
    form.name_at = skip_blanks(s, next);
    form.name = token(s, form.name_at);
    for (size_t i = 0; i < s->n_forms; i++)
        if (s->forms[i].name && strcmp(s->forms[i].name, form.name) == 0) {
            REPORT(s, at, "rule '%s' is defined twice; the first is in line %d", form.name,
                   knowledge_source_place(s, s->forms[i].begin).line);
            return;
        }
    add_form(s, &form);
}

void knowledge_source_scan(struct source *s)
{
    static const char *const constructs[] = {"deffacts", "defrule"};
    size_t at = 0, after;

    while ((at = skip_blanks(s, at)) < s->size) {
        size_t end = s->text[at] == '(' ? form_end(s, at) : token_end(s, at);
        const char *head = s->text[at] == '(' ? head_of(s, at, &after) : token(s, at);

        if (!end) {
            REPORT(s, at, "this '(' is never closed");
            return;
        }
        if (s->text[at] == '(' && strcmp(head, "deffacts") == 0)
            scan_facts(s, at, end);
        else if (s->text[at] == '(' && strcmp(head, "defrule") == 0)
            scan_rule(s, at, end);
        else
            REPORT(s, at, "a file of knowledge holds (deffacts …) and (defrule …), not '%s'%s",
                   head, portolan_did_you_mean(portolan_nearest_word(head, constructs, 2)).text);
        at = end;
    }
}

struct place source_slot_place(const struct source *s, size_t begin, const char *slot)
{
    size_t end = form_end(s, begin), next, value;

    head_of(s, begin, &next);
    while ((next = skip_blanks(s, next)) < end - 1) {
        if (s->text[next] == '(' && strcmp(head_of(s, next, &value), slot) == 0) {
            value = skip_blanks(s, value);
            return knowledge_source_place(s, value + (s->text[value] == '"'));
        }
        next = s->text[next] == '(' ? form_end(s, next) : token_end(s, next);
    }
    return knowledge_source_place(s, begin);
}
