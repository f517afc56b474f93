/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/list.h>

#include <string.h>

#include "clips.h"
#include "clp_source.h"
#include "knowledge.h"
#include "resolve.h"

struct reader {
    struct knowledge *knowledge;
    struct source source;
    struct clips *clips;
    struct paradigm *paradigm;
    size_t n_paradigms; /* number of facts of that name */
    bool are_rules;     /* facts are read first, then rules, with the paradigm as prefix */
};

#define REPORT(r, at, ...) REPORT_AT((r)->source.d, clp_place(&(r)->source, at), __VA_ARGS__)

/* Has CLIPS read the construct at AT as well, since rules call functions, and slots have types. */
static void load(struct reader *r, size_t at, const char *text)
{
    const struct source *s = &r->source;

    if (text)
        clips_load(r->clips, s->file, clp_place(s, at).line, text, s->d);
}

/* ------------------------------------------------- slots */

static size_t find_word(const char *const *words, const char *word)
{
    size_t i = 0;

    while (words[i] && strcmp(words[i], word) != 0)
        i++;
    return i;
}

/* Checks for values that CLIPS would refuse without saying what would be right. */
static bool check_value(struct reader *r, const struct slot_kind *slot, size_t at)
{
    struct portolan_text right = {.arena = r->source.arena};
    const char *word = clp_token(&r->source, at), *const *words = slot->words;
    size_t n = words ? find_word(words, "") : 0; /* the number of words */
    int64_t integer;
    double number;

    if (words && !words[find_word(words, word)]) {
        for (size_t i = 0; i < n; i++)
            portolan_text_add(&right, "%s%s", i ? i + 1 < n ? ", " : " or " : "", words[i]);
        REPORT(r, at, "'%s' is not one of %s%s", word, right.bytes ? right.bytes : "",
               portolan_did_you_mean(portolan_nearest_word(word, words, n)).text);
    } else if (slot->type == SLOT_INTEGER && !portolan_read_int64(word, &integer))
        REPORT(r, at, "%s needs a whole number, not '%s'", slot->name, word);
    else if (slot->type == SLOT_NUMBER && !portolan_read_double(word, &number))
        REPORT(r, at, "%s needs a number, not '%s'", slot->name, word);
    else if ((slot->type == SLOT_FORMULA || slot->type == SLOT_PLACED) && *word != '"')
        REPORT(r, at, "%s needs a text in quotes", slot->name);
    else
        return true;
    return false;
}

static void set_slot(struct reader *r, const struct slot_kind *slot, char *item, const char *text,
                     struct place place)
{
    void *to = item + slot->to;

    switch (slot->type) {
    case SLOT_FORMULA:
        *(struct expression *)to = (struct expression){.text = text, .place = place};
        expression_parse(r->knowledge, to, r->source.d);
        break;
    case SLOT_PLACED:
        *(struct place *)(item + slot->more) = place;
        *(const char **)to = text;
        break;
    case SLOT_TEXT:
        *(const char **)to = text;
        break;
    case SLOT_NAMES:
        if (*text)
            portolan_arena_append(r->source.arena, to, (size_t *)(item + slot->more), &text,
                                  sizeof text);
        break;
    case SLOT_INTEGER:
        portolan_read_int64(text, to);
        break;
    case SLOT_NUMBER:
        portolan_read_double(text, to);
        break;
    case SLOT_WORD:
        *(unsigned *)to = (unsigned)find_word(slot->words, text);
    }
}

/* Reads the values of SLOT, from AT to the ")" at END. */
static bool read_values(struct reader *r, const struct slot_kind *slot, char *item, size_t at,
                        size_t end)
{
    const struct source *s = &r->source;
    size_t next = clp_next(s, clp_token_end(s, at));

    if (at >= end && slot->type != SLOT_NAMES) {
        REPORT(r, at, "slot '%s' has no value", slot->name);
        return false;
    }
    if (at < end && (s->text[at] == '(' || (next < end && slot->type != SLOT_NAMES))) {
        REPORT(r, at, "slot '%s' takes %s", slot->name,
               slot->type == SLOT_NAMES ? "names" : "one value");
        return false;
    }
    if (at < end && !check_value(r, slot, at))
        return false;
    for (; at < end; at = clp_next(s, clp_token_end(s, at)))
        set_slot(r, slot, item, clp_value(s, at), clp_place(s, at + (s->text[at] == '"')));
    return true;
}

/* ------------------------------------------------- facts */

/* Reads the slots of the fact at AT, from NEXT to the ")" at END; returns true if all are right. */
static bool read_slots(struct reader *r, const struct fact_kind *kind, char *item, size_t at,
                       size_t next, size_t end)
{
    const struct source *s = &r->source;
    const struct slot_kind *slot, *slots = kind->slots;
    bool seen[MOST_SLOTS] = {false}, is_right = true;

    for (slot = slots; slot < slots + MOST_SLOTS && slot->name; slot++)
        if (slot->otherwise)
            set_slot(r, slot, item, slot->otherwise, clp_place(s, at));
    for (size_t after; next < end; next = clp_next(s, after)) {
        size_t value;
        const char *name = clp_head(s, next, &value);

        after = clp_form_end(s, next);
        for (slot = slots; slot < slots + MOST_SLOTS && slot->name; slot++)
            if (strcmp(slot->name, name) == 0)
                break;
        if (s->text[next] != '(')
            REPORT(r, next, "a %s is written (%s (SLOT VALUE) …), not with '%s'", kind->name,
                   kind->name, clp_token(s, next));
        else if (slot == slots + MOST_SLOTS || !slot->name)
            REPORT(r, next + 1, "a %s has no slot '%s'%s", kind->name, name,
                   portolan_did_you_mean(
                       portolan_nearest_member(name, &slots->name, MOST_SLOTS, sizeof *slots))
                       .text);
        else if (seen[slot - slots])
            REPORT(r, next + 1, "slot '%s' is given twice", name);
        else if ((seen[slot - slots] = true, read_values(r, slot, item, value, after - 1)))
            continue;
        is_right = false;
    }
    for (slot = slots; slot < slots + MOST_SLOTS && slot->name; slot++)
        if (!slot->otherwise && !seen[slot - slots]) {
            REPORT(r, at, "this %s has no '%s'", kind->name, slot->name);
            is_right = false;
        }
    return is_right;
}

static bool is_identifier(const char *name)
{
    return !(*name >= '0' && *name <= '9') &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] ==
               0;
}

/* Returns "guard cells" for "guard_cells". */
static const char *words_of(struct reader *r, const char *name)
{
    char *text = portolan_arena_strdup(r->source.arena, name);

    for (char *c = text; c && *c; c++)
        if (*c == '_' || *c == '-')
            *c = ' ';
    return text ? text : "";
}

/* Completes the name of an item that has none of its own, or is named after what it belongs to. */
static void complete_item(struct reader *r, const struct fact_kind *kind, struct item *item)
{
    struct portolan_arena *arena = r->source.arena;
    const struct composed *composed = (void *)item;

    item->context = "";
    if (!item->text || !*item->text)
        item->text = words_of(r, item->name ? item->name : "");
    if (strcmp(kind->name, "composed") == 0)
        item->name =
            portolan_arena_printf(arena, "%s%s%s%s", composed->event_name, composed->metric_name,
                                  *composed->view ? "/" : "", composed->view);
    else if (strcmp(kind->name, "weave") == 0 && !*item->name)
        item->name = words_of(r, ((struct weave *)item)->paradigm_name);
    else if (strcmp(kind->name, "attribute") == 0 || strcmp(kind->name, "related") == 0)
        item->name = portolan_arena_printf(
            arena, "%s.%s", *(const char **)((char *)item + kind->slots[0].to), item->name);
    if (!item->name)
        item->name = "";
    item->local = item->name;
}

static void check_item(struct reader *r, const struct fact_kind *kind, const struct item *item,
                       size_t at, const char *own_name)
{
    size_t first = kind_find_item(kind, r->paradigm, item->name);

    if (first != HERCULE_NONE)
        REPORT(r, at, "%s '%s' is defined twice; the first is in line %d", kind->name, item->name,
               kind_item(kind, r->paradigm, first)->place.line);
    else if (kind->is_identifier && (!*own_name || !is_identifier(own_name)))
        REPORT(r, at,
               "'%s' cannot be used in formulas: the name of a %s has letters, digits and '_', and "
               "does not begin with a digit",
               own_name, kind->name);
}

static void read_known_fact(struct reader *r, const struct fact_kind *kind, size_t at, size_t next,
                            size_t end)
{
    struct source *s = &r->source;
    bool is_paradigm = kind == &fact_kinds[n_fact_kinds];
    struct item *item = portolan_arena_alloc(s->arena, 1, kind->size);
    const char *own_name;

    if (!item || !read_slots(r, kind, (char *)item, at, next, end - 1))
        return;
    item->place = clp_place(s, at);
    own_name = item->name;
    complete_item(r, kind, item);
    load(
        r, at,
        portolan_arena_printf(s->arena, "(deffacts f%zu %.*s)", at, (int)(end - at), s->text + at));
    if (!is_paradigm) {
        check_item(r, kind, item, at, own_name);
        portolan_arena_append(s->arena, kind_list(kind, r->paradigm), kind_count(kind, r->paradigm),
                              item, kind->size);
    } else if (r->n_paradigms++)
        REPORT(r, at, "a file describes one paradigm, and this one has '%s' already",
               r->paradigm->item.name);
    else {
        r->paradigm->item = item[0];
        r->paradigm->is_a = ((struct paradigm *)item)->is_a;
        r->paradigm->n_is_a = ((struct paradigm *)item)->n_is_a;
    }
}

/* ------------------------------------------------- rules */

/* Returns the paradigm's name as one word of CLIPS, a prefix of its rules' names. */
static const char *rule_prefix(struct reader *r)
{
    char *prefix = portolan_arena_strdup(r->source.arena, r->paradigm->item.name);

    for (char *c = prefix; c && *c; c++)
        if (strchr(" \t\r\n\f()\";&|~<", *c))
            *c = '_';
    return prefix ? prefix : "";
}

/* Keeps a rule, or a fact of the author's own, as text for the inference. NAME is that by which
 * heirs replace the rule, WHOLE that which CLIPS uses. */
static void add_rule(struct reader *r, size_t at, const char *name, const char *whole,
                     const char *text)
{
    struct rule rule = {
        .item = {name, name, "", "", "", clp_place(&r->source, at)},
        .name = whole,
        .source = text,
    };

    load(r, at, text);
    if (name && whole && text)
        portolan_arena_append(r->source.arena, &r->paradigm->rules, &r->paradigm->n_rules, &rule,
                              sizeof rule);
}

static void read_rule(struct reader *r, size_t at, size_t name_at, size_t end)
{
    struct source *s = &r->source;
    const char *name = clp_token(s, name_at), *text = s->text,
               *whole = portolan_arena_printf(s->arena, "%s.%s", rule_prefix(r), name);
    size_t first = paradigm_item(r->paradigm, "rule", name);

    if (first != HERCULE_NONE)
        REPORT(r, at, "rule '%s' is defined twice; the first is in line %d", name,
               r->paradigm->rules[first].item.place.line);
    else
        add_rule(r, at, name, whole,
                 portolan_arena_printf(s->arena, "%.*s%s%.*s", (int)(name_at - at), text + at,
                                       whole ? whole : "", (int)(end - clp_token_end(s, name_at)),
                                       text + clp_token_end(s, name_at)));
}

static void read_fact(struct reader *r, size_t at, size_t end)
{
    struct source *s = &r->source;
    size_t next;
    const char *head = clp_head(s, at, &next), *near;
    const struct fact_kind *kind = fact_kind_find(head);

    kind = kind == fact_kinds ? NULL : kind;
    near = portolan_nearest_member(head, &fact_kinds[1].name, n_fact_kinds, sizeof *fact_kinds);
    if (kind && !r->are_rules)
        read_known_fact(r, kind, at, next, end);
    else if (!kind && near && !r->are_rules)
        REPORT(r, at + 1, "there is no fact '%s'%s", head, portolan_did_you_mean(near).text);
    else if (!kind && !near && r->are_rules) {
        const char *name = portolan_arena_printf(s->arena, "%s.%zu", rule_prefix(r), at);

        add_rule(r, at, name, name,
                 portolan_arena_printf(s->arena, "(deffacts %s %.*s)", name ? name : "",
                                       (int)(end - at), s->text + at));
    }
}

/* ------------------------------------------------- files */

/* Reads the facts of (deffacts NAME ["comment"] FACT …), whose name is at NEXT. */
static void read_facts(struct reader *r, size_t at, size_t next, size_t end)
{
    struct source *s = &r->source;

    if (strchr("()", s->text[next])) {
        if (!r->are_rules)
            REPORT(r, at, "deffacts needs a name before its facts");
        return;
    }
    for (size_t after; next < end - 1; next = clp_next(s, after)) {
        after = clp_form_end(s, next);
        if (s->text[next] == '(')
            read_fact(r, next, after);
    }
}

static void read_forms(struct reader *r)
{
    static const char *const constructs[] = {"deffacts", "defrule"};
    struct source *s = &r->source;

    for (size_t at = clp_next(s, 0), end; at < s->size; at = clp_next(s, end)) {
        size_t next;
        bool is_form = s->text[at] == '(';
        const char *head = is_form ? clp_head(s, at, &next) : clp_token(s, at);

        end = clp_form_end(s, at);
        if (is_form && end && strcmp(head, "deffacts") == 0)
            read_facts(r, at, next, end);
        else if (is_form && end && strcmp(head, "defrule") == 0) {
            if (r->are_rules)
                read_rule(r, at, next, end);
        } else if (!r->are_rules && end)
            REPORT(r, at, "a file of knowledge holds (deffacts …) and (defrule …), not '%s'%s",
                   head, portolan_did_you_mean(portolan_nearest_word(head, constructs, 2)).text);
        else if (!r->are_rules)
            REPORT(r, at, "this '(' is never closed");
        if (!end)
            return;
    }
}

struct paradigm *paradigm_read(struct knowledge *knowledge, const char *file, int line,
                               const char *text, size_t size, struct portolan_diagnostics *d)
{
    struct portolan_arena *arena = &knowledge->arena;
    struct reader r = {.knowledge = knowledge,
                       .source = {arena, d, portolan_arena_strdup(arena, file), line, text, size},
                       .clips = clips_create(),
                       .paradigm = portolan_arena_alloc(arena, 1, sizeof *r.paradigm)};
    struct paradigm *p = r.paradigm;

    if (p && r.clips && r.source.file) {
        p->item = (struct item){"", "", "", "", "", {r.source.file, line, 0}};
        read_forms(&r);
        r.are_rules = true;
        read_forms(&r);
        for (size_t k = 0; k < n_fact_kinds; k++)
            for (size_t i = 0; i < *kind_count(&fact_kinds[k], p); i++)
                kind_item(&fact_kinds[k], p, i)->origin = p->item.name;
        p->item.origin = p->item.name;
    }
    clips_destroy(r.clips);
    return arena->failed || !r.clips ? NULL : p;
}
