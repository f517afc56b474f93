/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays of SIDL as arrays of NumPy, and back, without a copy where type and layout allow it.
 * NumPy's headers are not used: the first members of an array are the same in NumPy 1 and 2, and
 * its types are asked for by name. Without NumPy, anything with the buffer interface is an array.
 */
#include "sidl_module.h"

#include <stdlib.h>
#include <string.h>

/* The head of NumPy's arrays. */
struct ndarray {
    PyObject_HEAD char *data;
    int rank;
    Py_ssize_t *extents, *strides;
    PyObject *base;
    struct descr {
        PyObject_HEAD PyObject *scalar;
        char kind, type, byte_order, flags;
        int number;
    } * descr;
    int flags;
};
enum { IS_ALIGNED = 0x100, IS_WRITEABLE = 0x400 };

/* Kinds of elements: the letter of a signature, the type of SIDL, NumPy's name, the letter of
 * struct.pack, and the characters and the number of NumPy's types; those of S1 come as a buffer. */
static const struct element {
    char letter;
    enum sidl_array_type type;
    size_t size;
    const char *dtype, *format, *characters;
    int number;
} elements[] = {
    {'d', sidl_double_array, 8, "d", "d", "d", 12},
    {'f', sidl_float_array, 4, "f", "f", "f", 11},
    {'i', sidl_int_array, 4, "i", "i", "i", 5},
    {'l', sidl_long_array, 8, "l", "q", "lq", 7},
    {'e', sidl_long_array, 8, "l", "q", "lq", 7},
    {'D', sidl_dcomplex_array, 16, "D", "Zd", "D", 15},
    {'F', sidl_fcomplex_array, 8, "F", "Zf", "F", 14},
    {'b', sidl_bool_array, 4, "i", "i", "i", 5},
    {'c', sidl_char_array, 1, "S1", "c", "", 18},
    {'p', sidl_opaque_array, 8, "L", "Q", "LQ", 8},
};

static const struct element *element_of(char letter)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (elements[i].letter == letter)
            return &elements[i];
    return NULL;
}

static const struct element *element_of_type(int32_t type)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if ((int32_t)elements[i].type == type)
            return &elements[i];
    return NULL;
}

static PyObject *ndarray_type, *asarray; /* NULL without NumPy */
static PyObject *array_type;
static unsigned long long copies; /* portolan.copies() */

/* Functions of NumPy that are in its table at the same places in versions 1 and 2. */
enum { TABLE_TYPE = 2, TABLE_NEW = 93, TABLE_SET_BASE = 282 };
static PyObject *(*new_array)(PyObject *type, int rank, const Py_ssize_t *extents, int number,
                              const Py_ssize_t *strides, void *data, int size, int flags,
                              PyObject *like);
static int (*set_base)(PyObject *array, PyObject *base); /* takes the reference */

/* Once: loads NumPy, if it is there. */
static void find_numpy(void)
{
    static bool was_sought;
    PyObject *numpy, *core, *capsule;
    void **table;

    if (was_sought)
        return;
    was_sought = true;
    numpy = PyImport_ImportModule("numpy");
    PyErr_Clear();
    core = PyImport_ImportModule("numpy._core._multiarray_umath");
    if (!core) {
        PyErr_Clear();
        core = PyImport_ImportModule("numpy.core._multiarray_umath");
    }
    capsule = core ? PyObject_GetAttrString(core, "_ARRAY_API") : NULL;
    table = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
    asarray = numpy && table ? PyObject_GetAttrString(numpy, "asarray") : NULL;
    if (asarray) {
        ndarray_type = table[TABLE_TYPE];
        *(void **)&new_array = table[TABLE_NEW];
        *(void **)&set_base = table[TABLE_SET_BASE];
    }
    PyErr_Clear();
    Py_XDECREF(capsule); /* NumPy keeps the table */
    Py_XDECREF(core);
    Py_XDECREF(numpy);
}

/* ------------------------------------------------------------------ arrays of SIDL in Python */

/* Elements of an array of SIDL, with the buffer interface. */
struct array {
    PyObject_HEAD struct sidl__array *array;
    Py_ssize_t extents[SIDL_MAX_ARRAY_DIMENSION], strides[SIDL_MAX_ARRAY_DIMENSION];
};

static void *first_of(struct sidl__array *a)
{
    return *(void **)(a + 1);
}

static int get_buffer(PyObject *self, Py_buffer *view, int flags)
{
    struct array *a = (struct array *)self;
    const struct element *e = element_of_type(sidl__array_type(a->array));
    Py_ssize_t n = 1;
    int rank = a->array->d_dimen;

    for (int i = 0; i < rank; i++)
        n *= a->extents[i];
    if (!(flags & PyBUF_STRIDES) && !(rank == 1 && a->strides[0] == (Py_ssize_t)e->size)) {
        PyErr_SetString(PyExc_BufferError, "the array is not contiguous");
        return -1;
    }
    *view = (Py_buffer){.buf = first_of(a->array),
                        .obj = self,
                        .len = n * (Py_ssize_t)e->size,
                        .itemsize = (Py_ssize_t)e->size,
                        .format = flags & PyBUF_FORMAT ? (char *)e->format : NULL,
                        .ndim = rank,
                        .shape = flags & PyBUF_ND ? a->extents : NULL,
                        .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? a->strides : NULL};
    Py_INCREF(self);
    return 0;
}

static void array_free(PyObject *self)
{
    sidl__array_deleteRef(((struct array *)self)->array);
    module_free(self);
}

/* In bytes. */
static void measure(const struct sidl__array *a, const struct element *e, Py_ssize_t *extents,
                    Py_ssize_t *strides)
{
    for (int32_t i = 0; i < a->d_dimen; i++) {
        extents[i] = a->d_upper[i] - a->d_lower[i] + 1;
        strides[i] = (Py_ssize_t)a->d_stride[i] * (Py_ssize_t)e->size;
    }
}

/* NumPy's array of the same numbers, which OWNER, whose reference is taken, keeps. */
static PyObject *make_ndarray(struct sidl__array *a, const struct element *e, PyObject *owner)
{
    Py_ssize_t extents[SIDL_MAX_ARRAY_DIMENSION], strides[SIDL_MAX_ARRAY_DIMENSION];
    PyObject *made;

    measure(a, e, extents, strides);
    made = new_array(ndarray_type, a->d_dimen, extents, e->number, strides, first_of(a),
                     (int)e->size, IS_ALIGNED | IS_WRITEABLE, NULL);
    if (made && owner && set_base(made, owner) != 0)
        Py_CLEAR(made);
    else if (!made)
        Py_XDECREF(owner);
    return made;
}

PyObject *array_wrap(struct sidl__array *array)
{
    const struct element *e = element_of_type(sidl__array_type(array));
    PyObject *made;
    struct array *a;

    if (!array)
        Py_RETURN_NONE;
    if (!e)
        return list_wrap(array);
    if (!(a = PyObject_New(struct array, (PyTypeObject *)array_type))) {
        sidl__array_deleteRef(array);
        return NULL;
    }
    a->array = array;
    measure(array, e, a->extents, a->strides);
    find_numpy();
    if (ndarray_type)
        return make_ndarray(array, e, (PyObject *)a);
    made = PyMemoryView_FromObject((PyObject *)a);
    Py_DECREF(a);
    return made;
}

static bool starts_at_0(const struct sidl__array *a)
{
    int32_t bounds = 0;

    for (int32_t i = 0; i < a->d_dimen; i++)
        bounds |= a->d_lower[i];
    return bounds == 0;
}

PyObject *array_show(struct sidl__array *a)
{
    const struct element *e = element_of_type(sidl__array_type(a));
    struct sidl__array *kept = a;

    if (!a)
        Py_RETURN_NONE;
    find_numpy();
    if (a->d_refcount >= 0 || !e)
        sidl__array_addRef(a);
    else if (ndarray_type && starts_at_0(a)) /* the caller's, during the call */
        return make_ndarray(a, e, NULL);
    else /* the description is on the stack of the caller, but not the numbers */
        kept = sidl__array_borrow(e->type, first_of(a), a->d_dimen, a->d_lower, a->d_upper,
                                  a->d_stride);
    return kept ? array_wrap(kept) : PyErr_NoMemory();
}

/* ------------------------------------------------------------------ arrays of Python for SIDL */

/* Describes RANK extents and strides (in bytes) at DATA in K; false if strides split elements. */
static bool describe(struct kept *k, const struct element *e, void *data, int rank,
                     const Py_ssize_t *extents, const Py_ssize_t *strides)
{
    struct sidl__array *a = &k->array.head;

    *a = (struct sidl__array){.d_lower = k->array.bounds,
                              .d_upper = k->array.bounds + rank,
                              .d_stride = k->array.bounds + 2 * rank,
                              .d_vtable = &sidl__array_vtables[e->type],
                              .d_dimen = rank,
                              .d_refcount = -1};
    for (int i = 0; i < rank; i++) {
        if (strides[i] % (Py_ssize_t)e->size != 0 || extents[i] > INT32_MAX)
            return false;
        a->d_lower[i] = 0;
        a->d_upper[i] = (int32_t)extents[i] - 1;
        a->d_stride[i] = (int32_t)(strides[i] / (Py_ssize_t)e->size);
    }
    k->array.first = data;
    return true;
}

static bool is_ndarray(PyObject *object)
{
    return ndarray_type && PyObject_TypeCheck(object, (PyTypeObject *)ndarray_type);
}

/* The array of SIDL that FROM shows, if it shows all of it: its bounds are kept. Borrowed. */
static struct sidl__array *shown_by(PyObject *from)
{
    const struct ndarray *a = (const struct ndarray *)from;
    const struct array *owner = is_ndarray(from) ? (const struct array *)a->base : NULL;
    struct sidl__array *shown;

    if (!owner || !Py_IS_TYPE((PyObject *)owner, (PyTypeObject *)array_type))
        return NULL;
    shown = owner->array;
    if (a->data != first_of(shown) || a->rank != shown->d_dimen)
        return NULL;
    for (int i = 0; i < a->rank; i++)
        if (a->extents[i] != owner->extents[i] || a->strides[i] != owner->strides[i])
            return NULL;
    return shown;
}

/* NumPy's array as it is; false: a copy is needed, or it is none. */
static bool take_ndarray(PyObject *from, const struct element *e, bool is_written, struct kept *k)
{
    const struct ndarray *a = (const struct ndarray *)from;
    const struct descr *d = a->descr;
    int needed = IS_ALIGNED | (is_written ? IS_WRITEABLE : 0);

    if (!d->type || !strchr(e->characters, d->type) ||
        (d->byte_order != '=' && d->byte_order != '|') || (a->flags & needed) != needed ||
        a->rank < 1 || a->rank > SIDL_MAX_ARRAY_DIMENSION)
        return false;
    if (!describe(k, e, a->data, a->rank, a->extents, a->strides))
        return false;
    Py_INCREF(from);
    k->object = from;
    return true;
}

static bool take_buffer(PyObject *from, const struct element *e, bool is_written, struct kept *k)
{
    int flags = PyBUF_STRIDES | PyBUF_FORMAT | (is_written ? PyBUF_WRITABLE : 0);
    const char *format;

    if (!PyObject_CheckBuffer(from))
        return false;
    if (PyObject_GetBuffer(from, &k->view, flags) != 0) {
        PyErr_Clear();
        return false;
    }
    format = k->view.format ? k->view.format : "B";
    if (!strcmp(format, "l") || !strcmp(format, "L"))
        format = *format == 'l' ? "q" : "Q";
    if (e->type == sidl_char_array && (!strcmp(format, "B") || !strcmp(format, "1s")))
        format = "c"; /* bytes, and NumPy's S1 */
    if (strcmp(format, e->format) != 0 || k->view.ndim < 1 ||
        k->view.ndim > SIDL_MAX_ARRAY_DIMENSION ||
        !describe(k, e, k->view.buf, k->view.ndim, k->view.shape, k->view.strides)) {
        PyBuffer_Release(&k->view);
        return false;
    }
    k->what = KEPT_VIEW;
    Py_INCREF(from);
    k->object = from;
    return true;
}

static bool take_as(PyObject *from, const struct element *e, bool is_written, struct kept *k)
{
    return (is_ndarray(from) && take_ndarray(from, e, is_written, k)) ||
           take_buffer(from, e, is_written, k);
}

/* For array<>: of the type that FROM has. */
static bool take_any(PyObject *from, bool is_written, struct kept *k)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (take_as(from, &elements[i], is_written, k))
            return true;
    PyErr_Format(PyExc_TypeError,
                 "an array of NumPy with numbers or S1 is needed, not %R: array<> has no type",
                 (PyObject *)Py_TYPE(from));
    return false;
}

/* What FROM has, as an array of its own. */
static bool take_copy(PyObject *from, const struct element *e, struct kept *k)
{
    PyObject *made;
    bool good;

    find_numpy();
    copies++;
    if (ndarray_type)
        made = PyObject_CallFunction(asarray, "Os", from, e->dtype);
    else { /* array.array has the same letters */
        PyObject *module = PyImport_ImportModule("array");

        made = module ? PyObject_CallMethod(module, "array", "sO", e->dtype, from) : NULL;
        Py_XDECREF(module);
    }
    if (!made)
        return false;
    if (ndarray_type && made == from) { /* read-only, or not aligned */
        Py_DECREF(made);
        if (!(made = PyObject_CallMethod(from, "copy", NULL)))
            return false;
    }
    good = take_as(made, e, true, k);
    Py_DECREF(made);
    if (!good && !PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "an array of %s is needed, not %R", e->format,
                     (PyObject *)Py_TYPE(from));
    return good;
}

/* The order that the method wants: *ARRAY becomes a copy if it is another one. */
static bool put_in_order(const struct sidl_parameter *p, struct kept *k, void **array)
{
    bool is_raw = p->kind == '{';
    enum sidl_array_ordering order = is_raw || p->order == 'c' ? sidl_column_major_order
                                     : p->order == 'r'         ? sidl_row_major_order
                                                               : sidl_general_order;
    struct sidl__array *a = *array;
    struct sidl__array *made;

    if (p->dimension && a->d_dimen != p->dimension) {
        PyErr_Format(PyExc_ValueError, "an array of %d dimension%s is needed, not of %d",
                     p->dimension, p->dimension == 1 ? "" : "s", a->d_dimen);
        return false;
    }
    if (order == sidl_general_order || (a->d_dimen == 1 && a->d_stride[0] == 1))
        return true;
    if (!(made = sidl__array_in_order(a, a->d_dimen, order)))
        return PyErr_NoMemory();
    if (made == a)
        return true;
    copies++;
    if (k->what == KEPT_ARRAY)
        sidl__array_deleteRef(k->made);
    else if (k->what == KEPT_VIEW)
        PyBuffer_Release(&k->view);
    Py_CLEAR(k->object);
    k->what = KEPT_ARRAY;
    *array = k->made = made;
    return true;
}

bool array_take(PyObject *from, const struct sidl_parameter *p, struct kept *k, void **array)
{
    const struct element *e = element_of(p->element);
    bool is_written = p->mode == '=';
    struct sidl__array *shown = shown_by(from);

    if (shown && p->kind == '[' &&
        (!e || e->type == (enum sidl_array_type)sidl__array_type(shown))) {
        sidl__array_addRef(shown);
        *array = k->made = shown;
        k->what = KEPT_ARRAY;
        return put_in_order(p, k, array);
    }
    if (from == Py_None) {
        *array = NULL;
        return true;
    }
    if (!e && p->element) {
        *array = k->made = list_take(from, p);
        k->what = k->made ? KEPT_ARRAY : KEPT_NOTHING;
        return k->made;
    }
    find_numpy();
    if (!e ? !take_any(from, is_written, k)
           : !take_as(from, e, is_written, k) && !take_copy(from, e, k))
        return false;
    *array = &k->array.head;
    return put_in_order(p, k, array);
}

bool array_take_block(PyObject *from, const struct sidl_parameter *p, char *block)
{
    const struct element *e = element_of(p->element);
    struct sidl_parameter in = {.mode = ' ', .kind = '[', .order = 'c', .element = p->element};
    struct kept k;
    void *array = NULL;
    int64_t n = 1;
    bool good;

    kept_begin(&k);
    if (from == Py_None)
        return true;
    if (!(good = e && array_take(from, &in, &k, &array))) {
        value_drop(&k);
        return false;
    }
    for (int32_t i = 0; i < sidlArrayDim(array); i++)
        n *= sidlLength(array, i);
    if ((good = n == p->count))
        memcpy(block, first_of(array), (size_t)n * e->size);
    else
        PyErr_Format(PyExc_ValueError, "an array of %lld elements is needed, not of %lld",
                     (long long)p->count, (long long)n);
    value_drop(&k);
    return good;
}

PyObject *array_wrap_block(const struct sidl_parameter *p, const char *block)
{
    const struct element *e = element_of(p->element);
    struct sidl__array *made =
        e ? sidl__array_create_filled(e->type, (int32_t)p->count, block) : NULL;

    return made ? array_wrap(made) : PyErr_NoMemory();
}

/* lower(array): the lower bounds, which are those of SIDL for an array that came from there. */
static PyObject *get_lower(PyObject *module, PyObject *from)
{
    const struct sidl__array *shown = shown_by(from);
    Py_ssize_t n = is_ndarray(from) ? ((const struct ndarray *)from)->rank : 1;
    PyObject *made = PyTuple_New(n);

    for (Py_ssize_t i = 0; made && i < n; i++)
        if (PyTuple_SetItem(made, i,
                            PyLong_FromLong(shown ? shown->d_lower[i] : list_lower(from))) != 0)
            Py_CLEAR(made);
    return made;
}

/* bounded(array, lower): a copy that has these lower bounds in SIDL. */
static PyObject *make_bounded(PyObject *module, PyObject *args)
{
    const struct sidl_parameter in = {.mode = ' ', .kind = '['};
    struct sidl__array *made = NULL, *a;
    PyObject *from, *lower;
    void *array = NULL;
    struct kept k;

    if (!PyArg_ParseTuple(args, "OO!:bounded", &from, &PyTuple_Type, &lower))
        return NULL;
    kept_begin(&k);
    if (array_take(from, &in, &k, &array) && (a = array)) {
        made = sidl__array_create(
            (enum sidl_array_type)sidl__array_type(a), a->d_dimen, a->d_lower, a->d_upper,
            sidl__array_isRowOrder(a) ? sidl_row_major_order : sidl_column_major_order);
        sidl__array_copy(a, made);
        if (!made)
            PyErr_NoMemory();
        else if (PyTuple_Size(lower) != a->d_dimen)
            PyErr_Format(PyExc_ValueError, "%d lower bounds are needed", a->d_dimen);
    }
    value_drop(&k);
    for (int32_t i = 0; !PyErr_Occurred() && made && i < made->d_dimen; i++) {
        int32_t bound = (int32_t)PyLong_AsLong(PyTuple_GetItem(lower, i));

        made->d_upper[i] += bound - made->d_lower[i];
        made->d_lower[i] = bound;
    }
    if (PyErr_Occurred())
        return sidl__array_deleteRef(made), NULL;
    return array_wrap(made);
}

static PyObject *get_copies(PyObject *module, PyObject *none)
{
    return PyLong_FromUnsignedLongLong(copies);
}

bool array_add(PyObject *module)
{
    static PyMethodDef functions[] = {
        {"copies", get_copies, METH_NOARGS, "How many arrays were copied for calls so far."},
        {"lower", get_lower, METH_O, "The lower bounds of an array, SIDL's if it came from there."},
        {"bounded", make_bounded, METH_VARARGS, "A copy of an array, with lower bounds for SIDL."},
        {0},
    };
    static PyType_Slot slots[] = {
        {Py_bf_getbuffer, get_buffer},
        {Py_tp_dealloc, array_free},
        {Py_tp_doc, "An array of SIDL."},
        {0},
    };

    return module_add_type(module, "portolan.Array", sizeof(struct array),
                           Py_TPFLAGS_DISALLOW_INSTANTIATION, slots, &array_type) &&
           PyModule_AddFunctions(module, functions) == 0;
}
