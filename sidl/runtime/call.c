/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls by name: signatures as data, the search for a method, the call. */
#include <stdlib.h>
#include <string.h>

#include "runtime_internal.h"
#include "sidl_call.h"

/* Signatures */

/* Takes the type's name at *AT. */
static void read_name(const char **at, struct sidl_parameter *p)
{
    if (**at != ':')
        return;
    p->name = ++*at;
    p->length = strcspn(*at, ",()");
    *at += p->length;
}

/* Takes what stands in the brackets of an array. */
static void read_dimension(const char **at, struct sidl_parameter *p)
{
    char *end;

    p->dimension = (int32_t)strtol(*at, &end, 10);
    if (*end == 'c' || *end == 'r')
        p->order = *end++;
    if (*end == '=')
        p->count = strtoll(end + 1, &end, 10);
    *at = *end ? end + 1 : end; /* the closing bracket */
}

sidl_bool sidl_signature_next(const char **at, struct sidl_parameter *parameter)
{
    *parameter = (struct sidl_parameter){.mode = ' ', .count = -1};
    if (strncmp(*at, "static ", 7) == 0)
        *at += 7;
    if (**at == '\0' || **at == ')')
        return FALSE;
    if (**at == '>' || **at == '=')
        parameter->mode = *(*at)++;
    parameter->kind = *(*at)++;
    if (parameter->kind == '[' || parameter->kind == '{') {
        read_dimension(at, parameter);
        if (**at && !strchr(",()", **at))
            parameter->element = *(*at)++;
    }
    read_name(at, parameter);
    if (**at == '(' || **at == ',')
        ++*at;
    return TRUE;
}

/* Methods */

const struct sidl_details *sidl_type_details(const struct sidl_type *type)
{
    return type->level ? (const void *)type->methods[type->n_methods].name : NULL;
}

static void throw_old_table(const struct sidl_type *type, const char *method,
                            sidl_BaseInterface *_ex)
{
    sidl_exception_throw_text(_ex,
                              "%s of %s %s cannot be called by name: an older Portolan wrote its "
                              "tables, which have no signatures; run portolan sidl again, and "
                              "rebuild the library that has them",
                              method, type->name, type->version ? type->version : "");
}

static void throw_unknown(const char *name, const char *method, sidl_BaseInterface *_ex)
{
    sidl_exception_throw_text(_ex, "%s has no method %s", name, method);
}

static sidl_bool find_slot(const struct sidl_type *type, const char *method,
                           struct sidl_callee *callee)
{
    const struct sidl_details *details = sidl_type_details(type);
    const size_t slot = layout_slot(type, method);

    if (slot == type->n_methods)
        return FALSE;
    *callee = (struct sidl_callee){
        type, details ? details->package->methods[details->slots[slot]].signature : NULL, slot,
        FALSE};
    return TRUE;
}

/* The static method of TYPE, or of the nearest class that it extends. */
static sidl_bool find_static(const struct sidl_type *type, const char *method,
                             struct sidl_callee *callee)
{
    const struct sidl_details *details = sidl_type_details(type);

    for (size_t i = 0; details && i < details->n_statics; i++) {
        const struct sidl_entry *entry = &details->package->methods[details->statics[i]];

        if (strcmp(entry->name, method) == 0) {
            *callee = (struct sidl_callee){type, entry->signature, i, TRUE};
            return TRUE;
        }
    }
    return type->n_parents > 0 && type->parents[0]->kind == SIDL_CLASS &&
           find_static(type->parents[0], method, callee);
}

sidl_bool sidl_type_find(const struct sidl_type *type, const char *method,
                         struct sidl_callee *callee, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    if (!find_slot(type, method, callee) && !find_static(type, method, callee)) {
        if (!type->level && type->kind == SIDL_CLASS && type != &sidl_BaseClass__type)
            throw_old_table(type, method, _ex); /* it may be a static method */
        else
            throw_unknown(type->name, method, _ex);
    } else if (!callee->signature) {
        throw_old_table(type, method, _ex);
    }
    return !*_ex;
}

sidl_bool sidl_reference_find(void *reference, const char *method, struct sidl_callee *callee,
                              sidl_BaseInterface *_ex)
{
    const struct sidl_object *object = sidl_reference_peek(reference);
    const struct sidl_type *old = NULL;

    *_ex = NULL;
    for (size_t i = 0; object && i < object->n_facets; i++) {
        if (!find_slot(object->facets[i].type, method, callee))
            continue;
        if (callee->signature)
            return TRUE;
        old = object->facets[i].type;
    }
    if (!object)
        sidl_exception_throw_text(_ex, "%s was called on a NULL reference", method);
    else if (old)
        throw_old_table(old, method, _ex);
    else
        throw_unknown(object->cls->name, method, _ex);
    return FALSE;
}

static sidl_bool check_number(const struct sidl_callee *callee, const char *method, size_t n,
                              sidl_BaseInterface *_ex)
{
    if (n == callee->signature->n_arguments)
        return TRUE;
    sidl_exception_throw_text(_ex, "%s of %s takes %zu argument%s, not %zu: %s", method,
                              callee->type->name, callee->signature->n_arguments,
                              callee->signature->n_arguments == 1 ? "" : "s", n,
                              callee->signature->text);
    return FALSE;
}

void sidl_call(void *reference, const char *method, union sidl_value *values, size_t n,
               sidl_BaseInterface *_ex)
{
    struct sidl_callee callee;

    if (!sidl_reference_find(reference, method, &callee, _ex) ||
        !check_number(&callee, method, n, _ex))
        return;
    sidl_callee_call(&callee, sidl_object_facet(sidl_reference_peek(reference), callee.type->name),
                     values, _ex);
}

void sidl_call_static(const struct sidl_type *type, const char *method, union sidl_value *values,
                      size_t n, sidl_BaseInterface *_ex)
{
    struct sidl_callee callee;
    const sidl_slot_fn *table;

    if (!sidl_type_find(type, method, &callee, _ex) || !check_number(&callee, method, n, _ex))
        return;
    if (!callee.is_static) {
        sidl_exception_throw_text(_ex, "%s of %s is not static; call it on an object", method,
                                  type->name);
        return;
    }
    table = sidl_class_statics(callee.type, sidl_type_details(callee.type)->externals, _ex);
    if (table)
        callee.signature->call(__atomic_load_n(&table[callee.slot], __ATOMIC_RELAXED), NULL, values,
                               _ex);
}
