/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links a class of SIDL when it is first used: computes the chain of classes that it extends,
 * tables with inherited slots filled in, and which table serves which type; then calls `load`.
 */
#include <portolan/base.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime_internal.h"

/* Which entry-point tables a class needs for all its types, and which of them serves which type */

static bool is_prefix(const struct sidl_type *type, const struct sidl_type *of)
{
    if (type->n_methods > of->n_methods)
        return false;
    for (size_t i = 0; i < type->n_methods; i++)
        if (strcmp(type->methods[i].name, of->methods[i].name) != 0)
            return false;
    return true;
}

static void measure_type(const struct sidl_type *type, const struct sidl_type *given,
                         struct need *need)
{
    need->facets++;
    if (!is_prefix(type, given))
        need->slots += type->n_methods;
    for (size_t i = 0; i < type->n_parents; i++)
        measure_type(type->parents[i], given, need);
}

struct need layout_measure(const struct sidl_implements *implements, size_t n)
{
    struct need need = {.facets = 1}; /* sidl.BaseInterface */

    for (size_t i = 0; i < n; i++)
        measure_type(implements[i].type, implements[i].type, &need);
    return need;
}

const struct sidl_facet *layout_find(const struct sidl_facet *facets, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(facets[i].type->name, name) == 0)
            return &facets[i];
    return NULL;
}

size_t layout_slot(const struct sidl_type *type, const char *method)
{
    size_t i = 0;

    while (i < type->n_methods && strcmp(type->methods[i].name, method) != 0)
        i++;
    return i;
}

static void add_facet(struct layout *layout, const struct sidl_type *type, size_t table)
{
    layout->facets[layout->n_facets++] = (struct sidl_facet){type, table};
}

static size_t add_table(struct layout *layout, const void *epv)
{
    if (layout->n_tables == 0)
        layout->own = epv;
    else
        layout->others[layout->n_tables - 1].d_epv = epv;
    return layout->n_tables++;
}

/* The slots of TYPE, picked by name from the table of a type that inherits it. */
static const void *derive_table(struct layout *layout, const struct sidl_type *type,
                                const struct sidl_implements *given)
{
    const sidl_slot_fn *slots = given->epv;
    sidl_slot_fn *epv = layout->free_slots;

    layout->free_slots += type->n_methods;
    for (size_t i = 0; i < type->n_methods; i++) {
        const size_t at = layout_slot(given->type, type->methods[i].name);

        epv[i] = at < given->type->n_methods ? slots[at] : NULL;
    }
    return epv;
}

static void add_parents(struct layout *layout, const struct sidl_type *type,
                        const struct sidl_implements *given, size_t table)
{
    for (size_t i = 0; i < type->n_parents; i++) {
        const struct sidl_type *parent = type->parents[i];

        if (layout_find(layout->facets, layout->n_facets, parent->name))
            continue;
        add_facet(layout, parent,
                  is_prefix(parent, given->type)
                      ? table
                      : add_table(layout, derive_table(layout, parent, given)));
        add_parents(layout, parent, given, table);
    }
}

void layout_build(struct layout *layout, const struct sidl_implements *implements, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!layout_find(layout->facets, layout->n_facets, implements[i].type->name))
            add_facet(layout, implements[i].type, add_table(layout, implements[i].epv));
    if (!layout_find(layout->facets, layout->n_facets, sidl_BaseInterface__type.name))
        add_facet(layout, &sidl_BaseInterface__type, 0);
    for (size_t i = 0; i < n; i++)
        add_parents(layout, implements[i].type, &implements[i],
                    layout_find(layout->facets, layout->n_facets, implements[i].type->name)->table);
}

/* Classes */

enum { UNTOUCHED, LINKED, LOADING, READY };

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void class_lock(void)
{
    pthread_mutex_lock(&lock);
}

void class_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

static const struct sidl_type *type_of(const struct sidl_class *cls)
{
    return cls->type ? cls->type : cls->implements[0].type;
}

/* The class of SIDL that TYPE extends, NULL when that is only sidl.BaseClass. */
static const struct sidl_type *parent_type(const struct sidl_type *type)
{
    for (size_t i = 0; i < type->n_parents; i++)
        if (type->parents[i]->kind == SIDL_CLASS)
            return strcmp(type->parents[i]->name, sidl_BaseClass__type.name) == 0
                       ? NULL
                       : type->parents[i];
    return NULL;
}

static bool is_base_exception(const struct sidl_type *type)
{
    return strcmp(type->name, sidl_SIDLException__externals()->name) == 0;
}

bool class_is_plain_exception(const struct sidl_type *type)
{
    const size_t n_methods = sidl_SIDLException__externals()->implements[0].type->n_methods;

    while (type && type->kind == SIDL_CLASS && type->n_methods == n_methods) {
        if (is_base_exception(type))
            return true;
        type = parent_type(type);
    }
    return false;
}

const struct sidl_class *class_resolve(const char *name,
                                       const struct sidl_class *(*externals)(void),
                                       sidl_BaseInterface *_ex)
{
    return externals ? externals() : loader_find_class(name, _ex);
}

static size_t depth_of(const struct sidl_type *type)
{
    size_t depth = 0;

    while ((type = parent_type(type)))
        depth++;
    return depth;
}

static bool link_class(const struct sidl_class *cls, sidl_BaseInterface *_ex);

/*
 * The nearest class with code that CLS extends, linked, in *PARENT; NULL when it extends
 * sidl.BaseClass only. Exceptions without code in between need only their type.
 */
static bool find_parent(const struct sidl_class *cls, const struct sidl_class **parent,
                        sidl_BaseInterface *_ex)
{
    const struct sidl_type *type = parent_type(type_of(cls));

    *parent = NULL;
    if (!type)
        return true;
    if (!cls->extends && class_is_plain_exception(type))
        *parent = sidl_SIDLException__externals();
    else
        *parent =
            class_resolve(cls->extends_name ? cls->extends_name : type->name, cls->extends, _ex);
    if (!*parent)
        return false;
    if (!(*parent)->state) {
        sidl_exception_throw_text(_ex, "class %s cannot be extended by %s: it has no class state",
                                  (*parent)->name, cls->name);
        return false;
    }
    return link_class(*parent, _ex);
}

/* Frees the parts of a state that could not be completed. */
static void clear_state(struct sidl_class_state *state)
{
    free(state->chain);
    free(state->tables);
    free(state->facets);
    free(state->dress);
    free(state->slots);
    memset(state, 0, sizeof *state);
}

static bool make_chain(const struct sidl_class *cls, const struct sidl_class *parent,
                       struct sidl_class_state *state, sidl_BaseInterface *_ex)
{
    state->depth = depth_of(type_of(cls));
    if (parent && parent->state->depth >= state->depth) {
        sidl_exception_throw_text(_ex,
                                  "class %s was made for another version of %s, which now extends "
                                  "more classes; regenerate and rebuild it",
                                  cls->name, parent->name);
        return false;
    }
    state->chain = portolan_calloc(state->depth + 1, sizeof *state->chain);
    if (!state->chain)
        return false;
    if (parent)
        memcpy(state->chain, parent->state->chain,
               (parent->state->depth + 1) * sizeof *state->chain);
    state->chain[state->depth] = cls;
    return true;
}

/* The tables of a class, inherited ones included: the input of the layout. */
struct linking {
    const struct sidl_class *cls;
    const struct sidl_class_state *parent; /* NULL for a root */
    struct sidl_implements *implements;
    size_t n_implements;
    sidl_slot_fn *free_slots;
};

static sidl_slot_fn *take_slots(struct linking *linking, size_t n)
{
    sidl_slot_fn *slots = linking->free_slots;

    linking->free_slots += n;
    return slots;
}

/* Adds a table of the class; empty slots are filled from FALLBACK's slots of the same name. */
static void add_own(struct linking *linking, const struct sidl_implements *own,
                    const struct sidl_type *fallback_type, const sidl_slot_fn *fallback)
{
    const sidl_slot_fn *given = own->epv;
    sidl_slot_fn *slots = take_slots(linking, own->type->n_methods);

    for (size_t i = 0; i < own->type->n_methods; i++) {
        slots[i] = given ? given[i] : NULL;
        if (!slots[i] && fallback) {
            const size_t at = layout_slot(fallback_type, own->type->methods[i].name);

            slots[i] = at < fallback_type->n_methods ? fallback[at] : NULL;
        }
    }
    linking->implements[linking->n_implements++] = (struct sidl_implements){own->type, slots};
}

static bool is_given(const struct linking *linking, const struct sidl_type *type)
{
    for (size_t i = 0; i < linking->n_implements; i++)
        if (strcmp(linking->implements[i].type->name, type->name) == 0)
            return true;
    return false;
}

/*
 * Adds a table that the parent has for an interface. If a function in it is also in the parent's
 * own table (perhaps under another name), the child's function of that slot replaces it.
 */
static void add_inherited(struct linking *linking, const struct sidl_table *table)
{
    const struct sidl_table *parent = &linking->parent->tables[0];
    const struct sidl_type *type = linking->implements[0].type;
    const sidl_slot_fn *own = linking->implements[0].epv;
    sidl_slot_fn *slots = take_slots(linking, table->type->n_methods);

    for (size_t i = 0; i < table->type->n_methods; i++) {
        size_t at = layout_slot(parent->type, table->type->methods[i].name);

        if (at == parent->type->n_methods || parent->plain[at] != table->plain[i])
            for (at = 0; at < parent->type->n_methods; at++)
                if (table->plain[i] && parent->plain[at] == table->plain[i])
                    break;
        slots[i] = table->plain[i];
        if (at < parent->type->n_methods &&
            (at = layout_slot(type, parent->type->methods[at].name)) < type->n_methods)
            slots[i] = own[at];
    }
    linking->implements[linking->n_implements++] = (struct sidl_implements){table->type, slots};
}

static void gather_tables(struct linking *linking)
{
    const struct sidl_class *cls = linking->cls;
    const struct sidl_class_state *parent = linking->parent;

    add_own(linking, &cls->implements[0], parent ? parent->tables[0].type : NULL,
            parent ? parent->tables[0].plain : NULL);
    for (size_t i = 1; i < cls->n_implements; i++)
        add_own(linking, &cls->implements[i], linking->implements[0].type,
                linking->implements[0].epv);
    for (size_t i = 1; parent && i < parent->n_tables; i++)
        if (!is_given(linking, parent->tables[i].type))
            add_inherited(linking, &parent->tables[i]);
}

/* Counts the slots of all tables in LINKING, of those that the layout makes, and of live copies. */
static size_t count_slots(const struct linking *linking, struct need *need)
{
    size_t n = 0;

    *need = layout_measure(linking->cls->implements, linking->cls->n_implements);
    for (size_t i = 0; i < linking->cls->n_implements; i++)
        n += linking->cls->implements[i].type->n_methods;
    for (size_t i = 1; linking->parent && i < linking->parent->n_tables; i++) {
        const struct sidl_implements inherited = {linking->parent->tables[i].type, NULL};
        const struct need more = layout_measure(&inherited, 1);

        n += inherited.type->n_methods;
        need->facets += more.facets;
        need->slots += more.slots;
    }
    return 2 * (n + need->slots) + 1; /* a guard before the live table of the class itself */
}

static void make_live(struct sidl_class_state *state, struct linking *linking,
                      const struct layout *layout)
{
    state->facets = layout->facets;
    state->n_facets = layout->n_facets;
    state->n_tables = layout->n_tables;
    for (size_t i = layout->n_facets; i-- > 0;) /* the first facet of a table has all its slots */
        state->tables[layout->facets[i].table].type = layout->facets[i].type;
    for (size_t i = 0; i < layout->n_tables; i++) {
        struct sidl_table *table = &state->tables[i];

        table->plain = i ? (const void *)layout->others[i - 1].d_epv : layout->own;
        table->live = take_slots(linking, table->type->n_methods + !i) + !i;
        memcpy(table->live, table->plain, table->type->n_methods * sizeof(sidl_slot_fn));
    }
}

static bool make_tables(const struct sidl_class *cls, const struct sidl_class *parent,
                        struct sidl_class_state *state)
{
    struct linking linking = {.cls = cls, .parent = parent ? parent->state : NULL};
    struct need need;
    const size_t n_slots = count_slots(&linking, &need);
    struct layout layout = {.facets = portolan_calloc(need.facets, sizeof *layout.facets),
                            .others = portolan_calloc(need.facets, sizeof *layout.others)};
    const size_t n_implements = cls->n_implements + (parent ? parent->state->n_tables : 0);

    linking.implements = portolan_calloc(n_implements, sizeof *linking.implements);
    state->slots = portolan_calloc(n_slots + 1, sizeof *state->slots);
    state->tables = portolan_calloc(need.facets, sizeof *state->tables);
    state->facets = layout.facets;
    if (layout.facets && layout.others && linking.implements && state->slots && state->tables) {
        linking.free_slots = state->slots;
        gather_tables(&linking);
        layout.free_slots = linking.free_slots;
        layout_build(&layout, linking.implements, linking.n_implements);
        linking.free_slots = layout.free_slots;
        make_live(state, &linking, &layout);
    }
    free(layout.others);
    free(linking.implements);
    return state->n_tables > 0;
}

/* The table of a class of the chain that serves the type of TABLE. */
static const void *table_of_level(const struct sidl_class_state *level,
                                  const struct sidl_table *table, bool is_own)
{
    const struct sidl_facet *facet;

    if (is_own)
        return level->tables[0].live;
    facet = layout_find(level->facets, level->n_facets, table->type->name);
    return facet ? level->tables[facet->table].live : table->live;
}

static bool make_dress(const struct sidl_class *cls, struct sidl_class_state *state)
{
    state->dress = portolan_calloc((state->depth + 1) * state->n_tables, sizeof *state->dress);
    if (!state->dress)
        return false;
    for (size_t level = 0; level <= state->depth; level++) {
        const struct sidl_class *at = state->chain[level];
        const struct sidl_class_state *of = at && at != cls ? at->state : state;

        if (level < state->depth && at && (at->ctor || at->dtor))
            state->is_dressed = true;
        for (size_t i = 0; i < state->n_tables; i++)
            state->dress[level * state->n_tables + i] =
                table_of_level(of, &state->tables[i], i == 0);
    }
    return true;
}

static void note_abstract(struct sidl_class_state *state)
{
    for (size_t i = 0; i < state->n_tables; i++)
        for (size_t k = 0; k < state->tables[i].type->n_methods; k++)
            if (!state->tables[i].plain[k]) {
                state->abstract_method = state->tables[i].type->methods[k].name;
                return;
            }
}

/* Copies all but the stage, which other threads may be reading; it is the first member. */
static void publish_state(struct sidl_class_state *state, const struct sidl_class_state *made)
{
    const size_t first = offsetof(struct sidl_class_state, size);

    memcpy((char *)state + first, (const char *)made + first, sizeof *state - first);
    __atomic_store_n(&state->stage, LINKED, __ATOMIC_RELAXED);
}

static bool link_class(const struct sidl_class *cls, sidl_BaseInterface *_ex)
{
    static const struct sidl_BaseClass__epv no_slots = {0};
    const struct sidl_class *parent;
    struct sidl_class_state state = {.statics = cls->statics};

    if (cls->state->stage >= LINKED)
        return true;
    if (!find_parent(cls, &parent, _ex))
        return false;
    if (!make_chain(cls, parent, &state, _ex) || !make_tables(cls, parent, &state) ||
        !make_dress(cls, &state) || !guard_make(cls, &state)) {
        clear_state(&state);
        if (!*_ex)
            sidl_exception_throw_no_memory(_ex);
        return false;
    }
    state.size = cls->size > sizeof(struct sidl_object) ? cls->size : sizeof(struct sidl_object);
    if (parent && parent->state->size > state.size)
        state.size = parent->state->size;
    note_abstract(&state);
    publish_state(cls->state, &state);
    if (cls->super)
        cls->super(parent ? (const void *)parent->state->tables[0].plain : &no_slots);
    return true;
}

/*
 * While `load` runs, the class counts as loaded for this thread. Exceptions of `load` are ignored
 * as in Babel, whose default _load block throws sidl.NotImplementedException.
 */
static void load_class(const struct sidl_class *cls)
{
    sidl_BaseInterface ex = NULL;

    if (cls->state->stage != LINKED)
        return;
    __atomic_store_n(&cls->state->stage, LOADING, __ATOMIC_RELAXED);
    if (cls->load)
        cls->load(&ex);
    SIDL_CLEAR(ex);
    __atomic_store_n(&cls->state->stage, READY, __ATOMIC_RELEASE);
}

bool class_is_ready(const struct sidl_class *cls)
{
    return !cls->state || __atomic_load_n(&cls->state->stage, __ATOMIC_ACQUIRE) == READY;
}

bool class_prepare(const struct sidl_class *cls, sidl_BaseInterface *_ex)
{
    bool good;

    if (__atomic_load_n(&cls->state->stage, __ATOMIC_ACQUIRE) == READY)
        return true;
    class_lock();
    good = link_class(cls, _ex);
    for (size_t level = 0; good && level <= cls->state->depth; level++)
        if (cls->state->chain[level])
            load_class(cls->state->chain[level]);
    class_unlock();
    return good;
}
