/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the paradigms of all files; inherits, composes and checks them. */
#include <portolan/hercule.h>
#include <portolan/list.h>

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "compose.h"
#include "knowledge.h"
#include "resolve.h"

enum { MOST_BYTES = 16 << 20 };

/* Passes on a report about an inherited fact only once. */
struct once {
    struct portolan_diagnostics_relay relay;
    uint64_t *reported;
    size_t n_reported;
};

static void report_once(void *arg, const char *file, int line, int column, const char *text)
{
    struct once *once = arg;
    uint64_t hash =
        portolan_hash(text, strlen(text), portolan_hash(file, strlen(file), (uint64_t)line + 1));

    for (size_t i = 0; i < once->n_reported; i++)
        if (once->reported[i] == hash)
            return;
    portolan_append(&once->reported, &once->n_reported, &hash, sizeof hash);
    portolan_diagnostics_relay(&once->relay, file, line, column, text);
}

struct library {
    struct knowledge *knowledge;
    struct portolan_diagnostics *d;
    struct paradigm **raw; /* paradigms as their files have them */
    bool *is_open;         /* by raw paradigm: it is being made */
    struct paradigm **made;
    size_t n;
};

/* ------------------------------------------------- files */

static size_t find_paradigm(struct paradigm *const *paradigms, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(paradigms[i]->item.name, name) == 0)
            return i;
    return HERCULE_NONE;
}

/* Returns the end of a message that there is no paradigm NAME. */
static struct portolan_hint hint_at(struct paradigm *const *paradigms, size_t n, const char *name)
{
    const char **known = portolan_calloc(n + 1, sizeof *known);
    struct portolan_hint hint;

    for (size_t i = 0; known && i < n; i++)
        known[i] = paradigms[i]->item.name;
    hint = portolan_did_you_mean(portolan_nearest_word(name, known, known ? n : 0));
    free(known);
    return hint;
}

static void add_raw(struct library *l, struct paradigm *paradigm, size_t first_of_folder)
{
    const struct place *place = &paradigm->item.place;
    size_t at = find_paradigm(l->raw, l->n, paradigm->item.name);

    if (at == HERCULE_NONE) {
        portolan_arena_append(&l->knowledge->arena, &l->raw, &l->n, &paradigm, sizeof paradigm);
        return;
    }
    if (at >= first_of_folder)
        portolan_diagnose(l->d, place->file, place->line, place->column,
                          "paradigm '%s' is in %s, too; a folder has one of each name",
                          paradigm->item.name, l->raw[at]->item.place.file);
    l->raw[at] = paradigm;
}

/* Applies a file of thresholds alone, which changes those of all paradigms. */
static void set_thresholds(struct library *l, struct paradigm *from)
{
    const struct fact_kind *kind = fact_kind_find("threshold");
    size_t base = find_paradigm(l->raw, l->n, "base");
    struct resolver r = {l->knowledge, base == HERCULE_NONE ? from : l->raw[base], l->d};

    for (size_t i = 0; i < from->n_thresholds; i++)
        if (resolve_name(&r, "threshold", &from->thresholds[i].item,
                         from->thresholds[i].item.name) != HERCULE_NONE &&
            !l->d->count)
            paradigm_put(&l->knowledge->arena, kind, r.paradigm, kind_item(kind, from, i));
}

static void read_text(struct library *l, const char *file, int line, const char *text, size_t size,
                      size_t first)
{
    struct paradigm *paradigm = paradigm_read(l->knowledge, file, line, text, size, l->d);

    if (!paradigm)
        l->knowledge->arena.failed = true;
    else if (*paradigm->item.name)
        add_raw(l, paradigm, first);
    else if (paradigm->n_thresholds)
        set_thresholds(l, paradigm);
    else
        portolan_diagnose(l->d, file, line, 0,
                          "this file describes no paradigm: (paradigm (name NAME)) is missing");
}

static void read_builtin(struct library *l)
{
    for (size_t i = 0; i < n_builtin_files; i++)
        if (!portolan_has_word(" templates.clp inference.clp ", builtin_files[i].name))
            read_text(l, builtin_files[i].name, 1, builtin_files[i].text, builtin_files[i].size, 0);
}

static int is_knowledge(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);

    return n > 4 && strcmp(entry->d_name + n - 4, ".clp") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static enum portolan_status read_folder(struct library *l, const char *folder,
                                        struct portolan_error *err)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, is_knowledge, by_name);
    size_t first = l->n;

    if (n < 0)
        return portolan_error_set(err, errno == ENOMEM ? PORTOLAN_ENOMEM : PORTOLAN_EIO, "%s: %s",
                                  folder, strerror(errno));
    for (int i = 0; i < n; i++) {
        struct portolan_text text = {.arena = &l->knowledge->arena};
        char *path =
            portolan_arena_printf(&l->knowledge->arena, "%s/%s", folder, entries[i]->d_name);

        if (path && portolan_text_add_file(&text, path, MOST_BYTES))
            read_text(l, path, 1, text.bytes ? text.bytes : "", text.length, first);
        else if (path)
            portolan_diagnose(l->d, path, 1, 0, "%s", strerror(errno));
        free(entries[i]);
    }
    free(entries);
    return PORTOLAN_OK;
}

/* ------------------------------------------------- inheritance and composition */

static struct paradigm *make(struct library *l, size_t i);

/* Returns the finished paradigm that ITEM names; mistakes are reported. */
static struct paradigm *need(struct library *l, const struct item *item, const char *name)
{
    const struct place *place = &item->place;
    size_t at = find_paradigm(l->raw, l->n, name);

    if (at == HERCULE_NONE)
        portolan_diagnose(l->d, place->file, place->line, place->column,
                          "there is no paradigm '%s'%s", name, hint_at(l->raw, l->n, name).text);
    else if (l->is_open[at])
        portolan_diagnose(l->d, place->file, place->line, place->column,
                          "paradigm '%s' depends on itself, through '%s'", name, item->name);
    else
        return make(l, at);
    return NULL;
}

/* Adds all of PARENT, except what the heir names alike. */
static void inherit(struct library *l, struct paradigm *p, const struct paradigm *parent)
{
    p->is_incomplete |= !parent || parent->is_incomplete;
    for (size_t k = 0; parent && k < n_fact_kinds; k++)
        for (size_t i = 0; i < *kind_count(&fact_kinds[k], parent); i++)
            paradigm_put(&l->knowledge->arena, &fact_kinds[k], p,
                         kind_item(&fact_kinds[k], parent, i));
}

/* Returns the guest that ITEM names; NULL: P is incomplete. */
static const struct paradigm *guest_of(struct library *l, struct paradigm *p,
                                       const struct item *item, const char *name)
{
    const struct paradigm *guest = need(l, item, name);

    p->is_incomplete |= !guest || guest->is_incomplete;
    return p->is_incomplete ? NULL : guest;
}

static void compose(struct library *l, struct paradigm *p, const struct paradigm *own)
{
    const struct paradigm *guest;

    for (size_t i = 0; i < own->n_nests; i++)
        if ((guest = guest_of(l, p, &own->nests[i].item, own->nests[i].paradigm_name)))
            paradigm_nest(l->knowledge, p, guest, &own->nests[i], l->d);
    for (size_t i = 0; i < own->n_weaves; i++)
        if ((guest = guest_of(l, p, &own->weaves[i].item, own->weaves[i].paradigm_name)))
            paradigm_weave(l->knowledge, p, guest, &own->weaves[i]);
    if (!p->is_incomplete)
        paradigm_share_run(l->knowledge, p);
}

static struct paradigm *make(struct library *l, size_t i)
{
    const struct paradigm *own = l->raw[i];
    struct paradigm *p;
    size_t base = find_paradigm(l->raw, l->n, "base");

    if (l->made[i])
        return l->made[i];
    p = portolan_arena_alloc(&l->knowledge->arena, 1, sizeof *p);
    if (!p)
        return NULL;
    l->is_open[i] = true;
    p->item = own->item;
    p->is_a = own->is_a;
    p->n_is_a = own->n_is_a;
    if (base != HERCULE_NONE && base != i)
        inherit(l, p, make(l, base));
    for (size_t k = 0; k < own->n_is_a; k++)
        inherit(l, p, need(l, &own->item, own->is_a[k]));
    inherit(l, p, own);
    compose(l, p, own);
    l->is_open[i] = false;
    return l->made[i] = p;
}

static int compare_paradigms(const void *a, const void *b)
{
    return strcmp((*(struct paradigm *const *)a)->item.name,
                  (*(struct paradigm *const *)b)->item.name);
}

/* Makes all paradigms, each of unchanged others: meanings are found for copies of their lists. */
static void make_all(struct library *l)
{
    struct knowledge *k = l->knowledge;

    if (l->n)
        qsort(l->raw, l->n, sizeof *l->raw, compare_paradigms);
    l->is_open = portolan_arena_alloc(&k->arena, l->n + 1, sizeof *l->is_open);
    l->made = portolan_arena_alloc(&k->arena, l->n + 1, sizeof *l->made);
    for (size_t i = 0; i < l->n && !k->arena.failed; i++)
        make(l, i);
    for (size_t i = 0; i < l->n && !k->arena.failed; i++)
        if (!l->made[i]->is_incomplete)
            paradigm_resolve(k, l->made[i], l->d);
    for (size_t i = 0; i < l->n && !l->d->count && !k->arena.failed; i++)
        paradigm_link(k, l->made[i]);
}

/* Makes all paradigms of what was read; after any mistake, KNOWLEDGE is as it was. */
static enum portolan_status make_knowledge(struct library *l, struct portolan_error *err)
{
    struct knowledge *k = l->knowledge;

    make_all(l);
    if (k->arena.failed)
        return portolan_no_memory(err);
    if (l->d->count)
        return PORTOLAN_ESYNTAX;
    k->paradigms = l->made;
    k->raw = l->raw;
    k->n_paradigms = l->n;
    return PORTOLAN_OK;
}

enum portolan_status portolan_knowledge_read(const char *const *folders, size_t n_folders,
                                             struct portolan_diagnostics *diagnostics,
                                             struct portolan_knowledge **out,
                                             struct portolan_error *err)
{
    struct once once = {.relay = {diagnostics, err}};
    struct portolan_diagnostics d = {report_once, &once, 0};
    struct portolan_knowledge *knowledge = portolan_calloc(1, sizeof *knowledge);
    struct library library = {.d = &d};
    enum portolan_status status = PORTOLAN_OK;

    *out = NULL;
    if (!knowledge)
        return portolan_no_memory(err);
    library.knowledge = &knowledge->inner;
    read_builtin(&library);
    for (size_t i = 0; i < n_folders && !status; i++)
        status = read_folder(&library, folders[i], err);
    if (!status)
        status = make_knowledge(&library, err);
    free(once.reported);
    if (status)
        portolan_knowledge_destroy(knowledge);
    else
        *out = knowledge;
    return status;
}

enum portolan_status portolan_knowledge_add(struct portolan_knowledge *knowledge, const char *text,
                                            const char *file, int line,
                                            struct portolan_diagnostics *diagnostics,
                                            struct portolan_error *err)
{
    struct knowledge *k = &knowledge->inner;
    struct once once = {.relay = {diagnostics, err}};
    struct portolan_diagnostics d = {report_once, &once, 0};
    struct library library = {.knowledge = k, .d = &d};
    enum portolan_status status;

    for (size_t i = 0; i < k->n_paradigms; i++)
        add_raw(&library, k->raw[i], 0);
    read_text(&library, file, line, text, strlen(text), library.n);
    status = d.count ? PORTOLAN_ESYNTAX : make_knowledge(&library, err);
    free(once.reported);
    return status;
}

void portolan_knowledge_limit_rules(struct portolan_knowledge *knowledge, int seconds, int mib)
{
    for (size_t i = 0; i < knowledge->inner.n_paradigms; i++) {
        knowledge->inner.paradigms[i]->rule_seconds = seconds;
        knowledge->inner.paradigms[i]->rule_mib = mib;
    }
}

void portolan_knowledge_destroy(struct portolan_knowledge *knowledge)
{
    if (!knowledge)
        return;
    for (size_t i = 0; i < knowledge->inner.n_formulas; i++)
        portolan_formula_destroy(knowledge->inner.formulas[i]);
    free(knowledge->inner.formulas);
    portolan_arena_clear(&knowledge->inner.arena);
    free(knowledge);
}

struct paradigm *knowledge_find(const struct knowledge *knowledge, const char *name)
{
    size_t at = find_paradigm(knowledge->paradigms, knowledge->n_paradigms, name);

    return at == HERCULE_NONE ? NULL : knowledge->paradigms[at];
}

struct paradigm *knowledge_need(const struct portolan_knowledge *knowledge, const char *name,
                                struct portolan_error *err)
{
    const struct knowledge *k = &knowledge->inner;
    struct paradigm *found = knowledge_find(k, name);

    if (!found)
        portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no paradigm '%s'%s", name,
                           hint_at(k->paradigms, k->n_paradigms, name).text);
    return found;
}
