/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of calls, one by one. */
#include "sidl_module.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ structs */

/* A struct of SIDL is in Python an object with its members; its class knows the type. */
static const struct sidl_details *details_of(const struct sidl_parameter *p, PyObject **class)
{
    PyObject *capsule = NULL;
    const struct sidl_type *type;

    *class = object_class_of(p->name, p->length);
    if (*class)
        capsule = PyObject_GetAttrString(*class, "__sidl_type__");
    type = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
    Py_XDECREF(capsule);
    if (!type && !PyErr_Occurred())
        PyErr_Format(module_error, "the package of struct %.100s is not loaded", p->name);
    return type ? sidl_type_details(type) : NULL;
}

/* Members as values: those of one word lie in the struct as they do in a value. */
static bool take_struct(PyObject *from, const struct sidl_details *d, char *block);

static bool take_member(PyObject *from, const struct sidl_member *m, char *at)
{
    const char *text = m->type;
    struct sidl_parameter p;
    union sidl_value v = {.l = 0};
    struct kept k;
    PyObject *class;

    kept_begin(&k);
    if (!sidl_signature_next(&text, &p))
        return false;
    if (p.kind == 't') {
        const struct sidl_details *inner = details_of(&p, &class);

        return inner && take_struct(from, inner, at);
    }
    if (p.kind == '{')
        return array_take_block(from, &p, at);
    p.mode = '='; /* a copy that the struct owns */
    if (!value_take(from, &p, &v, &k)) {
        value_drop(&k);
        return false;
    }
    if (p.kind == '[' && v.p)
        v.p = sidl__array_smartCopy(v.p);
    value_drop(&k);
    switch (p.kind) {
    case 'c':
        *at = v.c;
        break;
    case 'b':
    case 'i':
    case 'e':
    case 'f':
        memcpy(at, &v, 4);
        break;
    case 'D':
        memcpy(at, &v, 16);
        break;
    default:
        memcpy(at, &v, 8);
    }
    return true;
}

static bool take_struct(PyObject *from, const struct sidl_details *d, char *block)
{
    for (size_t i = 0; i < d->n_members; i++) {
        PyObject *value = PyObject_GetAttrString(from, d->members[i].name);
        bool good = value && take_member(value, &d->members[i], block + d->members[i].value);

        Py_XDECREF(value);
        if (!good)
            return false;
    }
    return true;
}

static PyObject *wrap_struct(PyObject *class, const struct sidl_details *d, char *block,
                             bool taken);

/* TAKEN: what the member owns goes over. */
static PyObject *wrap_member(const struct sidl_member *m, char *at, bool taken)
{
    const char *text = m->type;
    struct sidl_parameter p;
    union sidl_value v = {.l = 0};
    PyObject *class;

    if (!sidl_signature_next(&text, &p))
        return PyErr_Format(module_error, "member %s has no type", m->name);
    if (p.kind == 't') {
        const struct sidl_details *inner = details_of(&p, &class);

        return inner ? wrap_struct(class, inner, at, taken) : NULL;
    }
    if (p.kind == '{')
        return array_wrap_block(&p, at);
    memcpy(&v, at, p.kind == 'c' ? 1 : strchr("bief", p.kind) ? 4 : p.kind == 'D' ? 16 : 8);
    return taken ? value_wrap(&p, &v, NULL, NULL, 0) : value_show(&p, &v);
}

static PyObject *wrap_struct(PyObject *class, const struct sidl_details *d, char *block, bool taken)
{
    PyObject *made = PyObject_CallNoArgs(class);

    for (size_t i = 0; i < d->n_members; i++) {
        PyObject *value = wrap_member(&d->members[i], block + d->members[i].value, taken);

        if (!value || !made || PyObject_SetAttrString(made, d->members[i].name, value) != 0)
            Py_CLEAR(made);
        Py_XDECREF(value);
    }
    if (taken)
        memset(block, 0, d->size);
    return made;
}

/* Frees what the struct owns. */
static void clear_struct(const struct sidl_details *d, char *block)
{
    for (size_t i = 0; i < d->n_members; i++) {
        const char *text = d->members[i].type;
        struct sidl_parameter p;
        union sidl_value v = {.l = 0};
        PyObject *class;

        if (!sidl_signature_next(&text, &p) || !strchr("so[t", p.kind))
            continue;
        if (p.kind == 't') {
            const struct sidl_details *inner = details_of(&p, &class);

            if (inner)
                clear_struct(inner, block + d->members[i].value);
            continue;
        }
        memcpy(&v, block + d->members[i].value, 8);
        value_discard(&p, &v);
    }
}

/* Room for one in *K, zeroed. */
static bool make_block(const struct sidl_parameter *p, union sidl_value *v, struct kept *k)
{
    PyObject *class;

    if (!(k->details = details_of(p, &class)))
        return false;
    if (!(v->p = k->made = portolan_calloc(1, k->details->size)))
        return PyErr_NoMemory();
    k->what = KEPT_BLOCK;
    return true;
}

/* ------------------------------------------------------------------ into calls */

static bool take_integer(PyObject *from, int64_t low, int64_t high, int64_t *value)
{
    *value = PyLong_AsLongLong(from);
    if (*value == -1 && PyErr_Occurred())
        return false;
    if (*value >= low && *value <= high)
        return true;
    PyErr_Format(PyExc_OverflowError, "%lld is outside the range of an int of SIDL, %lld to %lld",
                 *value, low, high);
    return false;
}

static bool take_char(PyObject *from, char *c)
{
    Py_ssize_t length = PyUnicode_GetLength(from);
    Py_UCS4 code = length == 1 ? PyUnicode_ReadChar(from, 0) : 0;

    if (length > 1 || code > 255)
        PyErr_SetString(PyExc_ValueError, "a char of SIDL is a text of one byte");
    *c = (char)code;
    return !PyErr_Occurred();
}

static bool take_text(PyObject *from, bool is_written, union sidl_value *v, struct kept *k)
{
    Py_ssize_t length;
    const char *text = from == Py_None ? NULL : PyUnicode_AsUTF8AndSize(from, &length);

    if (!text && from != Py_None)
        return false;
    if (text && strlen(text) != (size_t)length) {
        PyErr_SetString(PyExc_ValueError, "a string of SIDL has no NUL");
        return false;
    }
    v->s = (char *)text;
    if (text && is_written && !(v->s = sidl_String_strdup(text)))
        return PyErr_NoMemory();
    return true;
}

static bool take_object(PyObject *from, const struct sidl_parameter *p, union sidl_value *v,
                        struct kept *k)
{
    v->p = NULL;
    if (from == Py_None)
        return true;
    if (!(v->p = object_take(from, p->name, p->length)))
        return false;
    if (p->mode != '=') {
        k->what = KEPT_REFERENCE;
        k->made = v->p;
    }
    return true;
}

bool value_take(PyObject *from, const struct sidl_parameter *p, union sidl_value *v, struct kept *k)
{
    int64_t number;
    int truth;

    switch (p->kind) {
    case 'i':
    case 'e':
        if (!take_integer(from, INT32_MIN, INT32_MAX, &number))
            return false;
        v->i = (int32_t)number;
        return true;
    case 'l':
        return take_integer(from, INT64_MIN, INT64_MAX, &v->l);
    case 'd':
        v->d = PyFloat_AsDouble(from);
        return v->d != -1 || !PyErr_Occurred();
    case 'f':
        v->f = (float)PyFloat_AsDouble(from);
        return v->f != -1 || !PyErr_Occurred();
    case 'b':
        truth = PyObject_IsTrue(from);
        v->b = truth > 0;
        return truth >= 0;
    case 'c':
        return take_char(from, &v->c);
    case 's':
        return take_text(from, p->mode == '=', v, k);
    case 'D':
        v->D = (struct sidl_dcomplex){PyComplex_RealAsDouble(from), PyComplex_ImagAsDouble(from)};
        return !PyErr_Occurred();
    case 'F':
        v->F = (struct sidl_fcomplex){(float)PyComplex_RealAsDouble(from),
                                      (float)PyComplex_ImagAsDouble(from)};
        return !PyErr_Occurred();
    case 'p':
        v->p = from == Py_None ? NULL : PyLong_AsVoidPtr(from);
        return v->p || !PyErr_Occurred();
    case 'o':
        return take_object(from, p, v, k);
    case 't':
        return make_block(p, v, k) && take_struct(from, k->details, v->p);
    default:
        if (!array_take(from, p, k, &v->p))
            return false;
        if (p->kind == '[' && p->mode == '=' && k->what == KEPT_ARRAY)
            k->what = KEPT_NOTHING; /* the method owns it, and what comes back is ours */
        return true;
    }
}

bool value_prepare(const struct sidl_parameter *p, union sidl_value *v, struct kept *k)
{
    *v = (union sidl_value){.D = {0, 0}};
    return p->kind != 't' || make_block(p, v, k);
}

/* ------------------------------------------------------------------ out of calls */

static PyObject *wrap_text(char *text)
{
    PyObject *made = module_text(text);

    sidl_String_free(text);
    return made;
}

/* An enumerator as a member of its class, where there is one. */
static PyObject *wrap_enum(const struct sidl_parameter *p, int32_t value)
{
    PyObject *class = object_class_of(p->name, p->length), *made;

    if (!class)
        return PyErr_Occurred() ? NULL : PyLong_FromLong(value);
    if ((made = PyObject_CallFunction(class, "i", (int)value)) ||
        !PyErr_ExceptionMatches(PyExc_ValueError))
        return made;
    PyErr_Clear();
    return PyLong_FromLong(value);
}

static PyObject *wrap_array(struct sidl__array *array, struct kept *k, struct kept *all, size_t n)
{
    for (size_t i = 0; array && i < n; i++)
        if (all[i].object && array == &all[i].array.head) {
            Py_INCREF(all[i].object);
            return all[i].object;
        }
    if (k && k->what == KEPT_ARRAY && array == k->made)
        k->what = KEPT_NOTHING; /* its reference goes into the result */
    return array_wrap(array);
}

PyObject *value_wrap(const struct sidl_parameter *p, union sidl_value *v, struct kept *k,
                     struct kept *all, size_t n)
{
    PyObject *class;

    switch (p->kind) {
    case 'i':
        return PyLong_FromLong(v->i);
    case 'e':
        return wrap_enum(p, v->i);
    case 'l':
        return PyLong_FromLongLong(v->l);
    case 'd':
        return PyFloat_FromDouble(v->d);
    case 'f':
        return PyFloat_FromDouble((double)v->f);
    case 'b':
        return PyBool_FromLong(v->b);
    case 'c':
        return PyUnicode_DecodeLatin1(&v->c, v->c != '\0', "strict");
    case 's':
        return wrap_text(v->s);
    case 'D':
        return PyComplex_FromDoubles(v->D.real, v->D.imaginary);
    case 'F':
        return PyComplex_FromDoubles((double)v->F.real, (double)v->F.imaginary);
    case 'p':
        return PyLong_FromVoidPtr(v->p);
    case 'o':
        return object_wrap(v->p, p->name, p->length);
    case 't':
        return details_of(p, &class) ? wrap_struct(class, k->details, v->p, true) : NULL;
    default:
        return wrap_array(v->p, k, all, n);
    }
}

/* ------------------------------------------------------------------ methods in Python */

PyObject *value_show(const struct sidl_parameter *p, union sidl_value *v)
{
    const struct sidl_details *d;
    PyObject *class;

    switch (p->kind) {
    case 's':
        return module_text(v->s);
    case 'o':
        sidl_reference_add(v->p, NULL);
        return object_wrap(v->p, p->name, p->length);
    case 't':
        return (d = details_of(p, &class)) ? wrap_struct(class, d, v->p, false) : NULL;
    case '[':
    case '{':
        return array_show(v->p);
    default:
        return value_wrap(p, v, NULL, NULL, 0);
    }
}

/* The extents of a raw array are the caller's. */
static bool copy_into(struct sidl__array *from, struct sidl__array *to)
{
    for (int32_t i = 0; i < to->d_dimen; i++)
        if (sidlLength(from, i) != sidlLength(to, i)) {
            PyErr_Format(PyExc_ValueError, "an array with extent %d was given, not with %d",
                         (int)sidlLength(to, i), (int)sidlLength(from, i));
            return false;
        }
    if (*(void **)(from + 1) != *(void **)(to + 1))
        sidl__array_copy(from, to);
    return true;
}

/* An array of its own for the caller; into a raw one, what is another array is copied. */
static bool give_array(PyObject *from, const struct sidl_parameter *p, union sidl_value *v)
{
    struct sidl_parameter in = *p;
    struct kept k;
    void *array = NULL, *own = NULL;
    bool good;

    if (p->kind == '{' && from == Py_None)
        return true; /* changed in place */
    in.mode = ' ';
    kept_begin(&k);
    good = array_take(from, &in, &k, &array);
    if (good && p->kind == '{') {
        good = copy_into(array, v->p);
    } else if (good && array && !(own = sidl__array_smartCopy(array))) {
        good = PyErr_NoMemory();
    }
    value_drop(&k);
    if (good && p->kind == '[') {
        sidl__array_deleteRef(v->p);
        v->p = own;
    }
    return good;
}

bool value_give(PyObject *from, const struct sidl_parameter *p, union sidl_value *v)
{
    struct sidl_parameter own;
    union sidl_value made = {.l = 0};
    const struct sidl_details *d;
    PyObject *class;

    switch (p->kind) {
    case '[':
    case '{':
        return give_array(from, p, v);
    case 't':
        if (!(d = details_of(p, &class)))
            return false;
        if (p->mode == '=')
            clear_struct(d, v->p);
        memset(v->p, 0, d->size);
        return take_struct(from, d, v->p);
    case 's':
    case 'o':
        break;
    default: /* owns nothing */
        return value_take(from, p, v, NULL);
    }
    own = *p;
    own.mode = '='; /* a copy that the caller owns: nothing is kept */
    if (!value_take(from, &own, &made, NULL))
        return false;
    if (p->mode == '=')
        value_discard(p, v);
    *v = made;
    return true;
}

void value_discard(const struct sidl_parameter *p, union sidl_value *v)
{
    if (p->kind == 's')
        sidl_String_free(v->s);
    else if (p->kind == 'o' && v->p)
        sidl_reference_delete(v->p, NULL);
    else if (p->kind == '[' && v->p)
        sidl__array_deleteRef(v->p);
}

void value_drop(struct kept *k)
{
    switch (k->what) {
    case KEPT_NOTHING:
        break;
    case KEPT_VIEW:
        PyBuffer_Release(&k->view);
        break;
    case KEPT_ARRAY:
        sidl__array_deleteRef(k->made);
        break;
    case KEPT_REFERENCE:
        sidl_reference_delete(k->made, NULL);
        break;
    case KEPT_STRING:
        sidl_String_free(k->made);
        break;
    case KEPT_BLOCK:
        clear_struct(k->details, k->made);
        free(k->made);
        break;
    }
    Py_XDECREF(k->object);
}
