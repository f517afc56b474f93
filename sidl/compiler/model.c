/* SPDX-License-Identifier: BSD-3-Clause */
/* The model: its names, its symbols, and queries that all passes need. */
#include "model.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* Tables lie in the arena of N, a variable of each function here, which also handles failures. */
#define uthash_malloc(size)       portolan_arena_alloc(n->arena, 1, (size))
#define uthash_free(memory, size) ((void)(memory), (void)(size))
#include <uthash.h>

struct name {
    UT_hash_handle hh;
    const void *meaning;
    size_t round;
};

void names_clear(struct names *n)
{
    n->round++;
}

const void **names_add(struct names *n, const char *text, size_t length)
{
    struct name *name;

    HASH_FIND(hh, n->table, text, length, name);
    if (!name) {
        const char *copy = portolan_arena_strndup(n->arena, text, length);

        name = portolan_arena_alloc(n->arena, 1, sizeof *name);
        name->round = n->round;
        HASH_ADD_KEYPTR(hh, n->table, copy, length, name);
    }
    if (name->round != n->round) {
        name->round = n->round;
        name->meaning = NULL;
    }
    return &name->meaning;
}

const void *names_find(const struct names *n, const char *text, size_t length)
{
    const struct name *name;

    HASH_FIND(hh, n->table, text, length, name);
    return name && name->round == n->round ? name->meaning : NULL;
}

bool word_is_one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (*word == **words && strcmp(word, *words) == 0)
            return true;
    return false;
}

void arena_leave(void *arg)
{
    longjmp(*(jmp_buf *)arg, 1);
}

bool arena_read_file(struct portolan_text *text, const char *path, size_t most_bytes)
{
    struct portolan_arena *a = text->arena;
    bool good;

    a->no_memory = NULL;
    good = portolan_text_add_file(text, path, most_bytes);
    a->no_memory = arena_leave;
    if (a->failed)
        arena_leave(a->no_memory_arg);
    return good;
}

void diagnose_at(struct portolan_diagnostics *d, const struct portolan_sidl_place *place,
                 const char *format, ...)
{
    char text[1000];
    va_list args;

    if (!d)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    portolan_diagnose(d, place->file, place->line, place->column, "%s", text);
}

struct portolan_sidl_symbol *symbol_child(struct portolan_sidl_model *model,
                                          const struct portolan_sidl_symbol *package,
                                          const char *name)
{
    char full[256];
    const char *key = full;

    if (package == model->global)
        return symbol_find(model, name);
    if (package->own.is_detached)
        return NULL;
    if ((size_t)snprintf(full, sizeof full, "%s.%s", package->full_name, name) >= sizeof full)
        key = portolan_arena_printf(&model->arena, "%s.%s", package->full_name, name);
    return symbol_find(model, key);
}

struct portolan_sidl_symbol *symbol_add(struct portolan_sidl_model *model,
                                        struct portolan_sidl_symbol *package,
                                        enum portolan_sidl_symbol_kind kind, const char *name,
                                        struct portolan_sidl_place place)
{
    struct portolan_sidl_symbol *symbol = portolan_arena_alloc(&model->arena, 1, sizeof *symbol);
    const bool is_top = !package || package == model->global;
    char *c_name;

    symbol->kind = kind;
    symbol->name = name;
    symbol->full_name =
        is_top ? name : portolan_arena_printf(&model->arena, "%s.%s", package->full_name, name);
    c_name = portolan_arena_printf(&model->arena, "%s", symbol->full_name);
    for (char *c = c_name; *c; c++)
        if (*c == '.')
            *c = '_';
    symbol->c_name = c_name;
    symbol->place = place;
    symbol->package = package;
    symbol->own.is_detached = !package || package->own.is_detached;
    if (package)
        ARENA_PUSH(&model->arena, package->children, package->n_children, symbol);
    if (!symbol->own.is_detached)
        *names_add(&model->symbols, symbol->full_name, strlen(symbol->full_name)) = symbol;
    return symbol;
}

struct portolan_sidl_symbol *symbol_find(const struct portolan_sidl_model *model,
                                         const char *full_name)
{
    return (struct portolan_sidl_symbol *)names_find(&model->symbols, full_name, strlen(full_name));
}

const char *symbol_kind_text(enum portolan_sidl_symbol_kind kind)
{
    static const char *const texts[] = {
        [PORTOLAN_SIDL_PACKAGE] = "a package",  [PORTOLAN_SIDL_INTERFACE] = "an interface",
        [PORTOLAN_SIDL_CLASS] = "a class",      [PORTOLAN_SIDL_ENUMERATION] = "an enum",
        [PORTOLAN_SIDL_STRUCTURE] = "a struct",
    };

    return texts[kind];
}

bool symbol_is_object(const struct portolan_sidl_symbol *symbol)
{
    return symbol->kind == PORTOLAN_SIDL_INTERFACE || symbol->kind == PORTOLAN_SIDL_CLASS;
}

size_t symbol_slot(const struct portolan_sidl_symbol *symbol, const char *slot_name)
{
    size_t i = 0;

    while (i < symbol->n_slots && strcmp(symbol->slots[i]->slot_name, slot_name) != 0)
        i++;
    return i;
}

const struct portolan_sidl_method *symbol_method(const struct portolan_sidl_symbol *symbol,
                                                 const char *slot_name)
{
    for (size_t i = 0; i < symbol->n_methods; i++)
        if (strcmp(symbol->methods[i]->slot_name, slot_name) == 0)
            return symbol->methods[i];
    return NULL;
}

bool symbol_has_statics(const struct portolan_sidl_symbol *symbol)
{
    for (size_t i = 0; i < symbol->n_methods; i++)
        if (method_is_static(symbol->methods[i]))
            return true;
    return false;
}

size_t symbol_n_parents(const struct portolan_sidl_symbol *symbol)
{
    return symbol->n_extends + symbol->n_implements;
}

const struct portolan_sidl_type *symbol_parent(const struct portolan_sidl_symbol *symbol, size_t i)
{
    return i < symbol->n_extends ? symbol->extends[i] : symbol->implements[i - symbol->n_extends];
}

const char *symbol_version(const struct portolan_sidl_symbol *symbol)
{
    while (symbol && !symbol->version)
        symbol = symbol->package;
    return symbol ? symbol->version : NULL;
}

bool type_is_unknown(const struct portolan_sidl_type *type)
{
    return type->kind == PORTOLAN_SIDL_OBJECT && !type->symbol;
}

bool type_equal(const struct portolan_sidl_type *a, const struct portolan_sidl_type *b)
{
    if (type_is_unknown(a) || type_is_unknown(b))
        return true;
    if (a->kind != b->kind || a->symbol != b->symbol || !a->element != !b->element)
        return false;
    return !a->element || (a->dimension == b->dimension && a->order == b->order &&
                           type_equal(a->element, b->element));
}

bool method_is_static(const struct portolan_sidl_method *method)
{
    return method->flags & PORTOLAN_SIDL_STATIC;
}

bool method_same_signature(const struct portolan_sidl_method *a,
                           const struct portolan_sidl_method *b)
{
    if (!type_equal(a->result, b->result) || a->n_arguments != b->n_arguments)
        return false;
    for (size_t i = 0; i < a->n_arguments; i++)
        if (a->arguments[i].mode != b->arguments[i].mode ||
            !type_equal(a->arguments[i].type, b->arguments[i].type))
            return false;
    return true;
}

size_t walk_begin(void)
{
    static atomic_size_t walks; /* of all models: threads may have one each */

    return ++walks;
}

static bool inherits(const struct portolan_sidl_symbol *symbol, const char *full_name, size_t walk)
{
    if (strcmp(symbol->full_name, full_name) == 0)
        return true;
    ((struct portolan_sidl_symbol *)symbol)->own.visit = walk;
    for (size_t i = 0; i < symbol_n_parents(symbol); i++) {
        const struct portolan_sidl_symbol *parent = symbol_parent(symbol, i)->symbol;

        if (parent && parent->own.visit != walk && inherits(parent, full_name, walk))
            return true;
    }
    return false;
}

bool symbol_inherits(const struct portolan_sidl_symbol *symbol, const char *full_name)
{
    return inherits(symbol, full_name, walk_begin());
}

const struct portolan_sidl_method *symbol_renaming(const struct portolan_sidl_symbol *symbol,
                                                   const struct portolan_sidl_method *method)
{
    for (size_t i = 0; i < symbol->own.n_renaming; i++)
        if (symbol->own.renaming[i]->renames == method)
            return symbol->own.renaming[i];
    return NULL;
}

const struct portolan_sidl_method *
portolan_sidl_implementation(const struct portolan_sidl_symbol *type,
                             const struct portolan_sidl_method *method)
{
    const struct portolan_sidl_method *renaming = symbol_renaming(type, method);
    const size_t slot = symbol_slot(type, renaming ? renaming->slot_name : method->slot_name);

    return slot < type->n_slots ? type->slots[slot] : NULL;
}

const struct portolan_sidl_symbol *portolan_sidl_find(const struct portolan_sidl_model *model,
                                                      const char *full_name)
{
    return full_name ? symbol_find(model, full_name) : NULL;
}

/* Each call of portolan_nearest_word() keeps the nearer one of two: the best so far, and S. */
const char *portolan_sidl_nearest(const struct portolan_sidl_model *model, const char *full_name)
{
    const char *last = strrchr(full_name, '.'), *found = NULL;

    for (const struct name *n = model->symbols.table; n; n = n->hh.next) {
        const struct portolan_sidl_symbol *s = n->meaning;
        const char *const known[] = {found ? found : s->full_name, s->full_name};
        const char *nearer = portolan_nearest_word(full_name, known, 2);

        if (nearer && s->kind != PORTOLAN_SIDL_PACKAGE)
            found = nearer;
    }
    for (const struct name *n = model->symbols.table; n && !found; n = n->hh.next) {
        const struct portolan_sidl_symbol *s = n->meaning;

        if (s->kind != PORTOLAN_SIDL_PACKAGE &&
            portolan_nearest_word(last ? last + 1 : full_name, &s->name, 1))
            found = s->full_name;
    }
    return found;
}

const struct portolan_sidl_attribute *
portolan_sidl_attribute(const struct portolan_sidl_attribute *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}
