/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks that need the side file: guesses of extents it does not name, functions with a va_list
 * that replace variadic ones, callbacks that a stand-in can replace.
 */
#include "model.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include <portolan/probe.h>

/* ------------------------------------------------------------------ extents */

/*
 * Words that name an extent, alone or as the first or last word of a name. Words in a name are
 * separated by '_' or begin with a capital: n, n_rows, nByte, destLen, buffer_size.
 */
static bool is_extent_word(const char *word, size_t length)
{
    static const char *const words[] = {"n", "len", "length", "size", "count"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && strncasecmp(word, words[i], length) == 0)
            return true;
    return false;
}

static bool begins_word(const char *name, size_t i)
{
    return name[i - 1] == '_' ||
           (isupper((unsigned char)name[i]) && islower((unsigned char)name[i - 1])) ||
           (i == 1 && isupper((unsigned char)name[1]) && name[0] == 'n');
}

static bool is_extent(const char *name)
{
    size_t length = strlen(name), first = length, last = 0;

    for (size_t i = 1; i < length; i++)
        if (begins_word(name, i)) {
            if (first == length)
                first = i;
            last = i;
        }
    return is_extent_word(name, first - (first > 1 && name[first - 1] == '_')) ||
           is_extent_word(name + last, length - last);
}

/* Fortran passes everything by address except the lengths of texts, which come last. */
static bool is_fortran(const struct method *m)
{
    size_t length = strlen(m->name), n = m->n_arguments;

    while (n && m->arguments[n - 1].form == FORM_PLAIN && m->arguments[n - 1].kind == VALUE_INTEGER)
        n--;
    for (size_t i = 0; i < n; i++)
        if (m->arguments[i].form != FORM_POINTER)
            return false;
    return n && length && m->name[length - 1] == '_';
}

/* Names of extents in LAPACK. */
static bool is_fortran_extent(const char *name)
{
    static const char *const names[] = {"m", "n", "k", "nrhs"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    return is_extent(name);
}

static void guess_fortran(struct run *run, struct method *m)
{
    for (size_t i = 0; i < m->n_arguments && m->n_expressions < PORTOLAN_PROBE_CONTEXTS; i++) {
        const struct argument *a = &m->arguments[i];

        if (a->reads_integer && a->has_own_name && is_fortran_extent(a->name))
            PROXYGEN_APPEND(&run->arena, m->expressions, m->n_expressions,
                            (struct expression){.name = a->name,
                                                .text = proxygen_print(&run->arena, "*%s", a->name),
                                                .guessed = true,
                                                .place = a->place});
    }
}

/* Takes integers named like extents next to a pointer to data, as many as a context can hold. */
static void guess_extents(struct method *m)
{
    size_t contexts = m->n_expressions;

    for (size_t i = 0; i < m->n_arguments && contexts < PORTOLAN_PROBE_CONTEXTS; i++) {
        struct argument *a = &m->arguments[i];
        const struct argument *next = i + 1 < m->n_arguments ? a + 1 : NULL;
        const struct argument *array = NULL;

        if (i > 0 && a[-1].form == FORM_POINTER && a[-1].role == ROLE_PLAIN)
            array = a - 1;
        else if (next && next->form == FORM_POINTER && next->role == ROLE_PLAIN)
            array = next;
        if (a->is_guessable)
            array = a; /* a container knows its size */
        else if (!array || a->kind != VALUE_INTEGER || !a->has_own_name || !is_extent(a->name))
            continue;
        a->context = true;
        a->size_of = array->name;
        a->size_guessed = true;
        contexts++;
    }
}

/* ------------------------------------------------------------------ variadic functions */

/* Compares the declarations when a reader did not set the plain type. */
static bool is_same(const char *type, const char *declaration, const char *other_type,
                    const char *other_declaration)
{
    return type && other_type ? strcmp(type, other_type) == 0
                              : strcmp(declaration, other_declaration) == 0;
}

/* Returns whether TWIN has M's result and parameters, followed by a va_list. */
static bool is_twin(const struct method *m, const struct method *twin)
{
    size_t n = m->n_arguments;

    if (twin->n_arguments != n + 1 || twin->arguments[n].form != FORM_VA_LIST ||
        !is_same(m->result_type, m->result, twin->result_type, twin->result))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!is_same(m->arguments[i].type, m->arguments[i].declaration, twin->arguments[i].type,
                     twin->arguments[i].declaration))
            return false;
    return true;
}

static enum portolan_status link_twin(struct run *run, struct method *m)
{
    const struct port *port = run->port;

    for (size_t i = 0; i < port->n_methods; i++) {
        const struct method *twin = &port->methods[i];

        if (strcmp(twin->name, m->twin) != 0)
            continue;
        if (!is_twin(m, twin))
            return proxygen_fail(run, PORTOLAN_ESYNTAX, &m->twin_place,
                                 "'%s' does not stand for '%s': it would need the same result and "
                                 "parameters, with a va_list for the '...'",
                                 twin->name, m->name);
        if (m->n_arguments == 0 || m->convention)
            return proxygen_fail(run, PORTOLAN_ESYNTAX, &m->twin_place,
                                 "'%s' cannot be forwarded: %s", m->name,
                                 m->convention ? "it has a calling convention of its own"
                                               : "va_start needs a parameter in front of '...'");
        if (m->skip && strncmp(m->skip, "variadic", 8) == 0)
            m->skip = NULL;
        m->forward = twin->member;
    }
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ ends of objects */

/* free(&object): the parameter points to the pointer to the object. */
static void find_handle(const struct port *port, struct method *m)
{
    struct argument *handle = NULL;

    for (size_t i = 0; i < m->n_arguments; i++) {
        struct argument *a = &m->arguments[i];

        if (a->role != ROLE_PLAIN)
            return;
        if (!handle && a->depth == 2 && a->record && strcmp(a->record, port->record) == 0)
            handle = a;
    }
    if (!handle)
        return;
    handle->role = ROLE_HANDLE;
    m->skip = NULL;
}

/* ------------------------------------------------------------------ callbacks */

static enum portolan_status check_callbacks(struct run *run, const struct method *m)
{
    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct argument *a = &m->arguments[i];

        if (a->callback && !a->callee)
            return proxygen_fail(run, PORTOLAN_EUNSUPPORTED, &a->place,
                                 "'%s' of '%s' cannot be stood in for: it is variadic, has no "
                                 "prototype or types that nothing else can have",
                                 a->name, m->name);
    }
    return PORTOLAN_OK;
}

static enum portolan_status apply_to_port(struct run *run)
{
    enum portolan_status first = PORTOLAN_OK, status;

    if (run->port->shape == SHAPE_SIDL)
        return PORTOLAN_OK;
    for (size_t i = 0; i < run->port->n_methods; i++) {
        struct method *m = &run->port->methods[i];

        status = m->twin ? link_twin(run, m) : PORTOLAN_OK;
        if (status == PORTOLAN_OK)
            status = check_callbacks(run, m);
        if (first == PORTOLAN_OK)
            first = status;
        if (m->destroys && !m->variadic && run->port->record && !run->port->selfless)
            find_handle(run->port, m);
        if (m->described || m->skip)
            continue;
        if (is_fortran(m))
            guess_fortran(run, m);
        else
            guess_extents(m);
    }
    return first;
}

enum portolan_status proxygen_apply_hints(struct run *run)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; status == PORTOLAN_OK && proxygen_use_port(run, i); i++)
        status = apply_to_port(run);
    return status;
}
