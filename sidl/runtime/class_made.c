/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Classes whose methods are handlers. The function in a slot is the package's serve function of the
 * method, which knows the package and the method's number in it. Each package that such a class
 * uses gets a range of numbers, unique in the process; a class has an array of its methods by
 * number, so no call searches.
 */
#include <portolan/base.h>

#include <stdlib.h>
#include <string.h>

#include "runtime_internal.h"
#include "sidl_call.h"

struct made {
    struct sidl_class cls; /* first: a made class is found from its objects */
    struct sidl_recipe recipe;
    struct sidl_class_state state;
    const struct sidl_handled **by_number; /* inherited ones too; a method of no handler: NULL */
    size_t n_numbers;
    struct sidl_handled *methods;
    size_t n_methods;
    struct sidl_implements *implements;
    sidl_slot_fn *slots; /* of all types, then of static methods */
};

static size_t next_number = 1; /* guarded by class_lock() */

static void made_ctor(void *self, sidl_BaseInterface *_ex);

static struct made *made_of(const struct sidl_class *cls)
{
    return cls && cls->ctor == made_ctor ? (struct made *)cls : NULL;
}

/* The made class whose constructor or destructor is running: the object has that one's tables. */
static struct made *made_at(struct sidl_object *object)
{
    const struct sidl_class_state *state = object->cls->state;

    for (size_t level = state->depth + 1; level-- > 0;) {
        struct made *made = made_of(state->chain[level]);

        if (made &&
            (!state->is_dressed || object->self.d_epv == state->dress[level * state->n_tables]))
            return made;
    }
    return NULL;
}

static void made_ctor(void *self, sidl_BaseInterface *_ex)
{
    struct made *made = made_at(self);

    if (made && made->recipe.ctor)
        made->recipe.ctor(made->recipe.user, self, _ex);
}

static void made_dtor(void *self, sidl_BaseInterface *_ex)
{
    struct made *made = made_at(self);

    if (made && made->recipe.dtor)
        made->recipe.dtor(made->recipe.user, self, _ex);
}

/* Calls */

static void throw_unserved(const struct sidl_package *package, size_t method,
                           sidl_BaseInterface *_ex)
{
    sidl_exception_throw_text(_ex, "no handler serves %s of package %s",
                              package->methods[method].name, package->name);
}

/* The method of that number of the nearest made class in the chain that has it. */
static const struct sidl_handled *find_handled(const struct sidl_class_state *state, size_t number)
{
    for (size_t level = state ? state->depth + 1 : 0; level-- > 0;) {
        const struct made *made = made_of(state->chain[level]);

        if (made && number < made->n_numbers && made->by_number[number])
            return made->by_number[number];
    }
    return NULL;
}

void sidl_serve(const struct sidl_package *package, size_t method, void *self,
                union sidl_value *values, sidl_BaseInterface *_ex)
{
    const struct sidl_object *object = self;
    const size_t number = package->state->base + method;
    const struct made *made = object ? made_of(object->cls) : NULL;
    const struct sidl_handled *handled;

    if (made && number < made->n_numbers)
        handled = made->by_number[number];
    else if (object)
        handled = find_handled(object->cls->state, number);
    else
        handled = package->state->statics[method];
    if (handled)
        handled->handler(handled, self, values, _ex);
    else
        throw_unserved(package, method, _ex);
}

/* The method in a slot of a class that does not override it: its handler, if one serves the slot.
 */
static const struct sidl_handled *find_served(const struct sidl_class *cls,
                                              const struct sidl_table *table, size_t slot)
{
    const struct sidl_details *details = sidl_type_details(table->type);
    const size_t at = details ? details->slots[slot] : 0;

    if (!details || details->package->methods[at].serve != table->plain[slot])
        return NULL;
    return find_handled(cls->state, details->package->state->base + at);
}

void sidl_handled_super(const struct sidl_handled *method, void *self, union sidl_value *values,
                        sidl_BaseInterface *_ex)
{
    const struct sidl_class_state *state = method->of->state;
    const struct sidl_class *parent = NULL;
    const struct sidl_handled *handled;
    const struct sidl_table *table;
    size_t slot;

    *_ex = NULL;
    for (size_t level = state->depth; level-- > 0 && !parent;)
        parent = state->chain[level];
    table = parent ? &parent->state->tables[0] : NULL;
    slot = table ? layout_slot(table->type, method->name) : 0;
    if (!table || slot == table->type->n_methods || !table->plain[slot])
        sidl_exception_throw_text(_ex, "class %s extends no class that has a method %s",
                                  method->of->name, method->name);
    else if ((handled = find_served(parent, table, slot)))
        handled->handler(handled, self, values, _ex); /* the slot would search the object's class */
    else
        method->signature->call(table->plain[slot], self, values, _ex);
}

void **sidl_class_data(const struct sidl_class *cls, void *self)
{
    struct sidl_object *object = sidl_reference_peek(self);
    const struct sidl_class_state *state = object ? object->cls->state : NULL;

    for (size_t level = state ? state->depth + 1 : 0; level-- > 0;)
        if (state->chain[level] == cls)
            return &object->data[level];
    return NULL;
}

/* Making */

/* Gives a package its numbers. */
static bool number_package(const struct sidl_package *package)
{
    struct sidl_package_state *state = package->state;

    if (state->base)
        return true;
    state->statics = portolan_calloc(package->n_methods + 1, sizeof *state->statics);
    if (!state->statics)
        return false;
    __atomic_store_n(&state->base, next_number, __ATOMIC_RELEASE);
    next_number += package->n_methods;
    return true;
}

/* Adds the method of a slot, unless an earlier type of the class has it. Returns its function. */
static sidl_slot_fn add_method(struct made *made, const struct sidl_type *type, size_t slot,
                               bool is_static)
{
    const struct sidl_details *details = sidl_type_details(type);
    const size_t at = is_static ? details->statics[slot] : details->slots[slot];
    const struct sidl_entry *entry = &details->package->methods[at];
    const size_t number = details->package->state->base + at;
    struct sidl_handled *method = &made->methods[made->n_methods];
    const struct sidl_handled *known = made->by_number[number];

    for (size_t i = 0; !known && i < made->n_methods; i++)
        if (made->methods[i].is_static == is_static &&
            strcmp(made->methods[i].name, entry->name) == 0)
            known = &made->methods[i]; /* another interface's method of the same name */
    if (!known) {
        *method = (struct sidl_handled){.name = entry->name,
                                        .signature = entry->signature,
                                        .type = type,
                                        .slot = slot,
                                        .is_static = is_static,
                                        .of = &made->cls};
        made->n_methods++;
        if (!made->recipe.choose(made->recipe.user, method))
            method->handler = NULL;
        known = method;
    }
    if (known->handler)
        made->by_number[number] = known;
    return known->handler || is_static ? entry->serve : NULL; /* static ones are not inherited */
}

static void fill_class(struct made *made, size_t n_statics, sidl_slot_fn *statics)
{
    const struct sidl_recipe *recipe = &made->recipe;

    made->cls = (struct sidl_class){
        .name = portolan_strdup(recipe->name),
        .version = portolan_strdup(recipe->version ? recipe->version : ""),
        .size = sizeof(struct sidl_object),
        .implements = made->implements,
        .n_implements = recipe->n_types,
        .type = recipe->types[0]->kind == SIDL_CLASS ? recipe->types[0] : &sidl_BaseClass__type,
        .ctor = made_ctor,
        .dtor = made_dtor,
        .statics = n_statics ? statics : NULL,
        .n_statics = n_statics,
        .state = &made->state,
    };
}

static void fill_tables(struct made *made)
{
    const struct sidl_type *own = made->recipe.types[0];
    sidl_slot_fn *slots = made->slots;

    for (size_t i = 0; i < made->recipe.n_types; i++) {
        const struct sidl_type *type = made->recipe.types[i];

        made->implements[i] = (struct sidl_implements){type, slots};
        for (size_t k = 0; k < type->n_methods; k++)
            *slots++ = add_method(made, type, k, false);
    }
    for (size_t k = 0; k < sidl_type_details(own)->n_statics; k++)
        slots[k] = add_method(made, own, k, true);
    fill_class(made, sidl_type_details(own)->n_statics, slots);
}

/* The methods that a made class inherits from another one have its handlers. */
static void inherit_numbers(struct made *made)
{
    const struct made *parent = NULL;

    for (size_t level = made->state.depth; level-- > 0 && !parent;)
        parent = made_of(made->state.chain[level]);
    for (size_t i = 0; parent && i < parent->n_numbers && i < made->n_numbers; i++)
        if (!made->by_number[i])
            made->by_number[i] = parent->by_number[i];
}

/* From now on, calls of the class's static methods reach their handlers. */
static void publish_statics(struct made *made)
{
    const struct sidl_details *details = sidl_type_details(made->recipe.types[0]);
    const struct sidl_package_state *state = details->package->state;

    for (size_t i = 0; i < details->n_statics; i++)
        state->statics[details->statics[i]] = made->by_number[state->base + details->statics[i]];
}

static void free_made(struct made *made)
{
    if (!made)
        return;
    free((char *)made->cls.name);
    free((char *)made->cls.version);
    free(made->by_number);
    free(made->methods);
    free(made->implements);
    free(made->slots);
    free(made);
}

static struct made *new_made(const struct sidl_recipe *recipe)
{
    struct made *made = portolan_calloc(1, sizeof *made);
    size_t n = 1;

    for (size_t i = 0; i < recipe->n_types; i++) {
        const struct sidl_details *details = sidl_type_details(recipe->types[i]);

        if (!number_package(details->package))
            n = SIZE_MAX / sizeof(struct sidl_handled);
        n += recipe->types[i]->n_methods + details->n_statics;
    }
    if (!made)
        return NULL;
    made->recipe = *recipe;
    made->n_numbers = next_number;
    made->by_number = portolan_calloc(next_number, sizeof *made->by_number);
    made->methods = portolan_calloc(n, sizeof *made->methods);
    made->implements = portolan_calloc(recipe->n_types, sizeof *made->implements);
    made->slots = portolan_calloc(n, sizeof *made->slots);
    if (made->by_number && made->methods && made->implements && made->slots)
        fill_tables(made);
    if (made->cls.name && made->cls.version)
        return made;
    free_made(made);
    return NULL;
}

static bool check_recipe(const struct sidl_recipe *recipe, sidl_BaseInterface *_ex)
{
    for (size_t i = 0; i < recipe->n_types && !*_ex; i++)
        if (!recipe->types[i]->level)
            sidl_exception_throw_text(
                _ex,
                "class %s cannot implement %s by handlers: an older Portolan wrote its tables, "
                "which have no signatures; run portolan sidl again, and rebuild the library that "
                "has them",
                recipe->name, recipe->types[i]->name);
    if (!*_ex && recipe->n_types == 0)
        sidl_exception_throw_text(_ex, "class %s must implement a type", recipe->name);
    if (!*_ex && loader_peek_class(recipe->name))
        sidl_exception_throw_text(_ex, "there is a class %s already", recipe->name);
    return !*_ex;
}

const struct sidl_class *sidl_class_make(const struct sidl_recipe *recipe, sidl_BaseInterface *_ex)
{
    struct made *made = NULL;

    *_ex = NULL;
    class_lock();
    if (check_recipe(recipe, _ex)) {
        if (!(made = new_made(recipe)))
            sidl_exception_throw_no_memory(_ex);
        else if (!loader_remember_class(recipe->name, &made->cls))
            sidl_exception_throw_no_memory(_ex);
        else if (!class_prepare(&made->cls, _ex))
            loader_forget_class(&made->cls);
        if (made && *_ex) {
            free_made(made);
            made = NULL;
        }
    }
    if (made) {
        inherit_numbers(made);
        publish_statics(made);
    }
    class_unlock();
    return made ? &made->cls : NULL;
}
