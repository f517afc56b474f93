/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes and names of communicators, types and windows. */
#include "internal.h"

#include <stdio.h>

/* How a language stores a value, numbered as in MPICH: C as a pointer, Fortran 90 as an address,
 * Fortran 77 as an integer. */
enum value_form { FORM_POINTER = 0, FORM_ADDRESS = 1, FORM_INTEGER = 3 };

/* Functions of MPICH's libraries for Fortran and C++ that call the program's function. */
typedef int copy_proxy(mpi_copy_fn *, int, int, void *, int, void *, void **, int *);
typedef int delete_proxy(mpi_delete_fn *, int, int, int, void *, void *);

struct mpi_keyval {
    uint32_t refs; /* references: the program's, and one of each attribute */
    bool is_freed; /* the program has freed it; attributes may still use the handle */
    int handle;
    enum mpi_kind of; /* kind of the objects whose attributes it may name */
    mpi_copy_fn *copy;
    mpi_delete_fn *delete;
    copy_proxy *copy_by;
    delete_proxy *delete_by;
    void *extra;
};

struct mpi_attribute {
    struct mpi_attribute *next;
    struct mpi_keyval *key;
    void *value;
    enum value_form form;
};

/* ---------------------------------------------------------------- keys */

int mpi_key_create(struct mpi_task *t, enum mpi_kind of, mpi_copy_fn *copy, mpi_delete_fn *delete,
                   void *extra, int *handle)
{
    struct mpi_keyval *key = mpi_alloc(1, sizeof *key);

    *key = (struct mpi_keyval){.refs = 1, .of = of, .copy = copy, .delete = delete, .extra = extra};
    *handle = key->handle = mpi_handle(t, MPI_KIND_KEYVAL, key);
    return MPI_SUCCESS;
}

static void release_key(struct mpi_keyval *key)
{
    if (--key->refs)
        return;
    mpi_handle_free(mpi_task(), key->handle);
    free(key);
}

/* Returns the key; NULL, with an error noted, if there is no key for objects of kind OF. */
static struct mpi_keyval *key_of(struct mpi_task *t, enum mpi_kind of, int handle, int *code)
{
    struct mpi_keyval *key = mpi_item(t, MPI_KIND_KEYVAL, handle);

    if (key && key->of == of)
        return key;
    *code = mpi_error(t, MPI_ERR_KEYVAL, key ? "0x%x is a key of other objects" : "0x%x", handle);
    return NULL;
}

int mpi_key_free(struct mpi_task *t, enum mpi_kind of, int *handle)
{
    int code;
    struct mpi_keyval *key = key_of(t, of, *handle, &code);

    if (!key)
        return code;
    *handle = MPI_KEYVAL_INVALID;
    if (!key->is_freed) {
        key->is_freed = true;
        release_key(key);
    }
    return MPI_SUCCESS;
}

PORTOLAN_API int MPI_DUP_FN(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm;
    (void)keyval;
    (void)extra;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

PORTOLAN_API void MPII_Keyval_set_proxy(int handle, copy_proxy *copy, delete_proxy *delete)
{
    struct mpi_keyval *key = mpi_item(mpi_task(), MPI_KIND_KEYVAL, handle);

    key->copy_by = copy;
    key->delete_by = delete;
}

/* ---------------------------------------------------------------- values */

static struct mpi_attribute **find(struct mpi_object *object, const struct mpi_keyval *key)
{
    struct mpi_attribute **at = &object->attributes;

    while (*at && (*at)->key != key)
        at = &(*at)->next;
    return at;
}

static int call_delete(const struct mpi_attribute *a, int handle)
{
    const struct mpi_keyval *key = a->key;

    if (key->delete &&key->delete_by)
        return key->delete_by(key->delete, handle, key->handle, (int)a->form, a->value, key->extra);
    return key->delete ? key->delete (handle, key->handle, a->value, key->extra) : MPI_SUCCESS;
}

static void remove_at(struct mpi_attribute **at)
{
    struct mpi_attribute *a = *at;

    *at = a->next;
    release_key(a->key);
    free(a);
}

static int set_value(struct mpi_task *t, int handle, struct mpi_object *object, int keyval,
                     void *value, enum value_form form)
{
    int code;
    struct mpi_keyval *key = key_of(t, mpi_kind_of(handle), keyval, &code);
    struct mpi_attribute *a;

    if (!key)
        return code;
    a = *find(object, key);
    if (a && (code = call_delete(a, handle)) != MPI_SUCCESS)
        return code;
    if (!a) {
        a = mpi_alloc(1, sizeof *a);
        *a = (struct mpi_attribute){.next = object->attributes, .key = key};
        object->attributes = a;
        key->refs++;
    }
    a->value = value;
    a->form = form;
    return MPI_SUCCESS;
}

int mpi_attribute_delete(struct mpi_task *t, int handle, struct mpi_object *object, int keyval)
{
    int code;
    struct mpi_keyval *key = key_of(t, mpi_kind_of(handle), keyval, &code);
    struct mpi_attribute **at = key ? find(object, key) : NULL;

    if (!key)
        return code;
    code = *at ? call_delete(*at, handle) : MPI_SUCCESS; /* MPICH does this, too */
    if (code == MPI_SUCCESS && *at)
        remove_at(at);
    return code;
}

/* Returns a value in the form that the caller's language uses. */
static void put_value(void *out, enum value_form wanted, struct mpi_attribute *a)
{
    if (wanted == FORM_INTEGER)
        *(int *)out = (int)(intptr_t)a->value;
    else if (wanted == FORM_ADDRESS || a->form == FORM_POINTER)
        *(void **)out = a->value;
    else
        *(void **)out = &a->value; /* C gets the address of the value that Fortran stored */
}

/* Returns a built-in attribute: C gets the address VALUE, Fortran the number there. */
static void put_built_in(void *out, enum value_form wanted, const int *value)
{
    if (wanted == FORM_POINTER)
        *(const void **)out = value;
    else if (wanted == FORM_ADDRESS)
        *(MPI_Aint *)out = *value;
    else
        *(int *)out = *value;
}

static int get_value(struct mpi_task *t, int handle, struct mpi_object *object, int keyval,
                     void *out, int *flag, enum value_form wanted)
{
    int code;
    struct mpi_keyval *key = key_of(t, mpi_kind_of(handle), keyval, &code);
    struct mpi_attribute *a = key ? *find(object, key) : NULL;

    if (!key)
        return code;
    *flag = a != NULL;
    if (a)
        put_value(out, wanted, a);
    return MPI_SUCCESS;
}

/* Forgets the attributes of a copy that failed, without callbacks, as MPICH does. */
static int forget_all(struct mpi_object *object, int code)
{
    while (object->attributes)
        remove_at(&object->attributes);
    return code;
}

int mpi_attributes_copy(int from, const struct mpi_object *old, struct mpi_object *new)
{
    for (struct mpi_attribute *a = old->attributes, **end = &new->attributes; a; a = a->next) {
        struct mpi_keyval *key = a->key;
        void *value = NULL;
        int flag = 0, code = MPI_SUCCESS;

        if (key->copy && key->copy_by)
            code = key->copy_by(key->copy, from, key->handle, key->extra, (int)a->form, a->value,
                                &value, &flag);
        else if (key->copy)
            code = key->copy(from, key->handle, key->extra, a->value, &value, &flag);
        if (code != MPI_SUCCESS)
            return forget_all(new, code);
        if (!flag)
            continue;
        *end = mpi_alloc(1, sizeof **end);
        **end = (struct mpi_attribute){NULL, key, value, a->form};
        end = &(*end)->next;
        key->refs++;
    }
    return MPI_SUCCESS;
}

int mpi_attributes_delete(int handle, struct mpi_object *object)
{
    int code = MPI_SUCCESS;

    while (object->attributes) { /* also if one's function fails, as in MPICH: the last error
                                  * counts */
        code = call_delete(object->attributes, handle);
        remove_at(&object->attributes);
    }
    return code;
}

/* ---------------------------------------------------------------- by kind of object */

/* Returns a built-in attribute of MPI_COMM_WORLD and the like; NULL: there is no such number. */
static const int *built_in_of_comm(struct mpi_task *t, int keyval)
{
    static const int tag_ub = 268435455, is_global = 1, number = 0, no_host = MPI_PROC_NULL,
                     io = MPI_ANY_SOURCE;

    switch ((keyval - 1) | 1) { /* Fortran's keys are greater by one */
    case MPI_TAG_UB:
        return &tag_ub;
    case MPI_HOST:
        return &no_host;
    case MPI_IO:
        return &io;
    case MPI_WTIME_IS_GLOBAL:
        return &is_global;
    case MPI_LASTUSEDCODE:
        if (!t->last_used_code)
            t->last_used_code = MPI_ERR_LASTCODE;
        return &t->last_used_code;
    case MPI_APPNUM:
        return &number;
    default:
        return NULL;
    }
}

static int get_comm(struct mpi_task *t, MPI_Comm comm, int keyval, void *out, int *flag,
                    enum value_form wanted)
{
    const int *value =
        (uint32_t)keyval >> 22 == 0x64400000U >> 22 ? built_in_of_comm(t, keyval) : NULL;

    if ((uint32_t)keyval >> 22 != 0x64400000U >> 22)
        return get_value(t, comm, &mpi_comm(t, comm)->object, keyval, out, flag, wanted);
    *flag = value != NULL;
    if (value)
        put_built_in(out, wanted, value);
    return MPI_SUCCESS;
}

static int get_win(struct mpi_task *t, MPI_Win win, int keyval, void *out, int *flag,
                   enum value_form wanted)
{
    int named = (keyval - 1) | 1; /* the key as C has it */
    void *value;

    if ((uint32_t)keyval >> 22 != 0x66000000U >> 22)
        return get_value(t, win, (struct mpi_object *)mpi_win(t, win), keyval, out, flag, wanted);
    *flag = mpi_win_attribute(mpi_win(t, win), named, &value);
    if (!*flag)
        return MPI_SUCCESS;
    if (wanted == FORM_POINTER || named == MPI_WIN_BASE)
        *(void **)out = value;
    else if (named == MPI_WIN_SIZE && wanted == FORM_ADDRESS)
        *(MPI_Aint *)out = *(MPI_Aint *)value;
    else
        put_built_in(out, wanted, value);
    return MPI_SUCCESS;
}

static int get_type(struct mpi_task *t, MPI_Datatype type, int keyval, void *out, int *flag,
                    enum value_form wanted)
{
    return get_value(t, type, &mpi_type(t, type)->object, keyval, out, flag, wanted);
}

/* The functions for C, and those for libmpichfort and libmpichcxx, which use other forms. */
#define ATTRIBUTES(Kind, handle_type, get, object)                                                 \
    PORTOLAN_API int MPII_##Kind##_set_attr(handle_type handle, int keyval, void *value, int form) \
    {                                                                                              \
        struct mpi_task *t = mpi_task();                                                           \
                                                                                                   \
        return set_value(t, handle, object, keyval, value, (enum value_form)form);                 \
    }                                                                                              \
    PORTOLAN_API int MPII_##Kind##_get_attr(handle_type handle, int keyval, void *value,           \
                                            int *flag, int form)                                   \
    {                                                                                              \
        return get(mpi_task(), handle, keyval, value, flag, (enum value_form)form);                \
    }

ATTRIBUTES(Comm, MPI_Comm, get_comm, &mpi_comm(t, handle)->object)
ATTRIBUTES(Type, MPI_Datatype, get_type, &mpi_type(t, handle)->object)
ATTRIBUTES(Win, MPI_Win, get_win, (struct mpi_object *)mpi_win(t, handle))

/* ---------------------------------------------------------------- names */

int mpi_get_name(const struct mpi_object *object, char *name, int *length)
{
    *length = snprintf(name, MPI_MAX_OBJECT_NAME, "%s", object->name);
    return MPI_SUCCESS;
}

int mpi_set_name(struct mpi_object *object, const char *name)
{
    snprintf(object->name, sizeof object->name, "%s", name);
    return MPI_SUCCESS;
}
