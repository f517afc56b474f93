/* SPDX-License-Identifier: BSD-3-Clause */
#include "read.h"

#include <portolan/list.h>

#include <string.h>

#include "clips.h"
#include "resolve.h"
#include "source.h"

struct reader {
    struct knowledge *knowledge;
    struct source source;
    struct clips *clips;
    struct paradigm *paradigm;
    size_t n_paradigms; /* facts of that name */
};

static const char *copy(struct reader *r, const char *text)
{
    const char *copied = portolan_arena_strdup(r->source.arena, text);

    return copied ? copied : "";
}

/* "guard_cells" is read as "guard cells". */
static const char *words_of(struct reader *r, const char *name)
{
    char *text = portolan_arena_strdup(r->source.arena, name);

    for (char *c = text; c && *c; c++)
        if (*c == '_' || *c == '-')
            *c = ' ';
    return text ? text : "";
}

static void read_names(struct reader *r, void *fact, const struct slot_kind *slot, char *item)
{
    size_t n = clips_n_values(r->clips, fact, slot->name);
    const char **names = portolan_arena_alloc(r->source.arena, n, sizeof *names);

    for (size_t i = 0; names && i < n; i++)
        names[i] = copy(r, clips_text(r->clips, fact, slot->name, i));
    *(const char ***)(item + slot->to) = names;
    *(size_t *)(item + slot->more) = names ? n : 0;
}

static void read_word(struct reader *r, void *fact, const struct slot_kind *slot, char *item)
{
    const char *word = clips_text(r->clips, fact, slot->name, 0);
    int value = 0;

    while (slot->words[value] && strcmp(slot->words[value], word) != 0)
        value++;
    memcpy(item + slot->to, &value, sizeof value);
}

static void read_slot(struct reader *r, void *fact, size_t at, const struct slot_kind *slot,
                      char *item)
{
    void *to = item + slot->to;
    const char *text = copy(r, clips_text(r->clips, fact, slot->name, 0));
    struct expression *formula = to;

    switch (slot->type) {
    case SLOT_FORMULA:
        formula->text = text;
        formula->place = source_slot_place(&r->source, at, slot->name);
        expression_parse(r->knowledge, formula, r->source.d);
        break;
    case SLOT_PLACED:
        *(struct place *)(item + slot->more) = source_slot_place(&r->source, at, slot->name);
        *(const char **)to = text;
        break;
    case SLOT_TEXT:
        *(const char **)to = text;
        break;
    case SLOT_NAMES:
        read_names(r, fact, slot, item);
        break;
    case SLOT_INTEGER:
        *(int64_t *)to = (int64_t)clips_number(r->clips, fact, slot->name);
        break;
    case SLOT_NUMBER:
        *(double *)to = clips_number(r->clips, fact, slot->name);
        break;
    case SLOT_WORD:
        read_word(r, fact, slot, item);
    }
}

static bool is_identifier(const char *name)
{
    return !(*name >= '0' && *name <= '9') &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] ==
               0;
}

/* Some things have no name of their own, or are named after what they belong to. */
static void complete_item(struct reader *r, const struct fact_kind *kind, struct item *item)
{
    struct portolan_arena *arena = r->source.arena;
    const struct composed *composed = (const void *)item;
    const struct weave *weave = (const void *)item;

    item->context = "";
    if (!item->text || !*item->text)
        item->text = words_of(r, item->name ? item->name : "");
    if (strcmp(kind->name, "composed") == 0)
        item->name =
            portolan_arena_printf(arena, "%s%s%s%s", composed->event_name, composed->metric_name,
                                  *composed->view ? "/" : "", composed->view);
    else if (strcmp(kind->name, "weave") == 0 && !*item->name)
        item->name = words_of(r, weave->paradigm_name);
    else if (strcmp(kind->name, "attribute") == 0)
        item->name = portolan_arena_printf(arena, "%s.%s", ((struct attribute *)item)->event_name,
                                           item->name);
    else if (strcmp(kind->name, "related") == 0)
        item->name =
            portolan_arena_printf(arena, "%s.%s", ((struct related *)item)->event_name, item->name);
    if (!item->name)
        item->name = "";
    item->local = item->name;
}

static void check_item(struct reader *r, const struct fact_kind *kind, const struct item *item,
                       const char *own_name)
{
    size_t first = kind_find_item(kind, r->paradigm, item->name);

    if (first != HERCULE_NONE)
        portolan_diagnose(r->source.d, item->place.file, item->place.line, item->place.column,
                          "%s '%s' is defined twice; the first is in line %d", kind->name,
                          item->name, kind_item(kind, r->paradigm, first)->place.line);
    else if (!*own_name || (kind->is_identifier && !is_identifier(own_name)))
        portolan_diagnose(
            r->source.d, item->place.file, item->place.line, item->place.column,
            "'%s' cannot stand in formulas: a %s is named by letters, digits and '_', and begins "
            "with no digit",
            own_name, kind->name);
}

static void read_fact(struct reader *r, const struct fact_kind *kind, void *fact)
{
    union {
        struct item item;
        struct metric metric;
        struct node node;
        struct component component;
        struct factor factor;
        struct event event;
        struct related related;
        struct composed composed;
    } *buffer = portolan_arena_alloc(r->source.arena, 1, sizeof *buffer);
    bool is_paradigm = strcmp(kind->name, "paradigm") == 0;
    char *item = is_paradigm ? (char *)r->paradigm : (char *)buffer;
    size_t at = (size_t)clips_number(r->clips, fact, "at");
    const char *own_name;

    if (!item)
        return;
    if (is_paradigm && r->n_paradigms++) {
        struct place place = knowledge_source_place(&r->source, at);

        portolan_diagnose(r->source.d, place.file, place.line, place.column,
                          "a file describes one paradigm, and this one has '%s' already",
                          r->paradigm->item.name);
        return;
    }
    for (size_t i = 0; i < MOST_SLOTS && kind->slots[i].name; i++)
        read_slot(r, fact, at, &kind->slots[i], item);
    ((struct item *)item)->place = knowledge_source_place(&r->source, at);
    own_name = ((struct item *)item)->name;
    complete_item(r, kind, (struct item *)item);
    if (is_paradigm)
        return;
    if (kind->is_identifier)
        check_item(r, kind, (struct item *)item, own_name);
    else
        check_item(r, kind, (struct item *)item, "a name");
    portolan_arena_append(r->source.arena, kind_list(kind, r->paradigm),
                          kind_count(kind, r->paradigm), item, kind->size);
}

/* A fact for CLIPS, with its position in the slot `at`. */
static void load_fact(struct reader *r, const struct form *form, size_t number)
{
    struct source *s = &r->source;
    size_t head = strlen(form->kind->name);
    const char *name = strstr(s->text + form->begin, form->kind->name);
    char *text =
        portolan_arena_printf(s->arena, "(deffacts f%zu %.*s (at %zu) %.*s)", number,
                              (int)(name + head - (s->text + form->begin)), s->text + form->begin,
                              form->begin, (int)(s->text + form->end - (name + head)), name + head);

    if (text)
        clips_load(r->clips, s->file, knowledge_source_place(s, form->begin).line, text, s->d);
}

/* Rules, and facts of the author's own, are kept as text for the inference; they are loaded here to
   find what is wrong with them. A rule's name gets the paradigm's before it, so that those of
   others stay. */
static void read_rule(struct reader *r, const struct form *form, size_t number)
{
    struct source *s = &r->source;
    struct rule rule = {.item = {.text = "", .context = ""}};
    const char *begin = s->text + form->begin, *name = s->text + form->name_at;

    rule.item.place = knowledge_source_place(s, form->begin);
    if (form->kind) {
        rule.item.name = form->name;
        rule.source =
            portolan_arena_printf(s->arena, "%.*s%s.%.*s", (int)(name - begin), begin,
                                  r->paradigm->item.name, (int)(s->text + form->end - name), name);
    } else {
        rule.item.name = portolan_arena_printf(s->arena, "fact %zu", number);
        rule.source =
            portolan_arena_printf(s->arena, "(deffacts %s.%zu %.*s)", r->paradigm->item.name,
                                  number, (int)(form->end - form->begin), begin);
    }
    if (!rule.item.name || !rule.source)
        return;
    rule.item.local = rule.item.name;
    clips_load(r->clips, s->file, rule.item.place.line, rule.source, s->d);
    portolan_arena_append(s->arena, &r->paradigm->rules, &r->paradigm->n_rules, &rule, sizeof rule);
}

static void set_origin(struct paradigm *p)
{
    for (size_t k = 0; k < n_fact_kinds; k++)
        for (size_t i = 0; fact_kinds[k].size && i < *kind_count(&fact_kinds[k], p); i++)
            kind_item(&fact_kinds[k], p, i)->origin = p->item.name;
}

struct paradigm *paradigm_read(struct knowledge *knowledge, const char *file, int line,
                               const char *text, size_t size, struct portolan_diagnostics *d)
{
    struct portolan_arena *arena = &knowledge->arena;
    struct reader r = {
        .knowledge = knowledge,
        .source = {arena, d, portolan_arena_strdup(arena, file), line, text, size, NULL, 0}};

    r.paradigm = portolan_arena_alloc(arena, 1, sizeof *r.paradigm);
    r.clips = clips_create();
    if (!r.paradigm || !r.clips || !r.source.file)
        goto done;
    r.paradigm->item = (struct item){"", "", "", "", "", {r.source.file, line, 0}};
    knowledge_source_scan(&r.source);
    for (size_t i = 0; i < r.source.n_forms; i++)
        if (r.source.forms[i].kind && !r.source.forms[i].name)
            load_fact(&r, &r.source.forms[i], i);
    clips_reset(r.clips);
    for (size_t k = 0; k < n_fact_kinds; k++)
        for (void *fact = NULL; (fact = clips_next_fact(r.clips, fact_kinds[k].name, fact));)
            read_fact(&r, &fact_kinds[k], fact);
    for (size_t i = 0; i < r.source.n_forms; i++)
        if (!r.source.forms[i].kind || r.source.forms[i].name)
            read_rule(&r, &r.source.forms[i], i);
    set_origin(r.paradigm);
    r.paradigm->item.origin = r.paradigm->item.name;
done:
    clips_destroy(r.clips);
    return arena->failed || !r.clips ? NULL : r.paradigm;
}
