/* SPDX-License-Identifier: BSD-3-Clause */
/* The experiment store: its tables as columns. portolan/store.py makes frames of them. */
#include "module.h"

#include <portolan/list.h>
#include <portolan/trials.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct store {
    PyObject_HEAD struct portolan_store *store;
    bool busy; /* a thread is in it, without the lock */
};

static PyObject *store_make(PyTypeObject *type, PyObject *args, PyObject *named)
{
    struct portolan_error err = {0};
    struct portolan_store *opened = NULL;
    enum portolan_status status;
    struct store *s;
    const char *file;

    if (!PyArg_ParseTuple(args, "s:Store", &file) ||
        !(s = (struct store *)PyType_GenericAlloc(type, 0)))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = portolan_store_open(file, PORTOLAN_STORE_READ, &opened, &err);
    Py_END_ALLOW_THREADS;
    s->store = opened;
    if (status == PORTOLAN_OK)
        return (PyObject *)s;
    Py_DECREF(s);
    return module_raise(&err);
}

static void store_free(PyObject *self)
{
    portolan_store_close(((struct store *)self)->store);
    module_free(self);
}

static PyObject *store_close(PyObject *self, PyObject *none)
{
    struct store *s = (struct store *)self;

    if (s->busy) {
        PyErr_SetString(PyExc_RuntimeError, "another thread uses this store");
        return NULL;
    }
    portolan_store_close(s->store);
    s->store = NULL;
    Py_RETURN_NONE;
}

/* The store for one call at a time; NULL with an exception. store_leave() ends it. */
static struct portolan_store *store_enter(PyObject *self)
{
    struct store *s = (struct store *)self;

    if (!s->store)
        PyErr_SetString(PyExc_ValueError, "the store is closed");
    else if (s->busy)
        PyErr_SetString(PyExc_RuntimeError,
                        "another thread uses this store; open it once in each thread");
    else
        return s->busy = true, s->store;
    return NULL;
}

static void store_leave(PyObject *self)
{
    ((struct store *)self)->busy = false;
}

/* ------------------------------------------------------------------ trials */

static PyObject *trial_of(const struct portolan_trial *t)
{
    PyObject *d = PyDict_New();

    if (d && module_put(d, "trial", PyLong_FromLongLong(t->id)) &&
        module_put(d, "assembly", module_text(t->assembly)) &&
        module_put(d, "purpose", module_text(t->purpose)) &&
        module_put(d, "ranks", PyLong_FromLong(t->ranks)) &&
        module_put(d, "threads", PyLong_FromLong(t->threads)) &&
        module_put(d, "started", module_text(t->started)) &&
        module_put(d, "outcome", module_text(t->outcome)) &&
        module_put(d, "elapsed_ns", PyFloat_FromDouble(t->elapsed_ns)) &&
        module_put(d, "parameters", module_pairs(t->parameters, t->n_parameters)) &&
        module_put(d, "implementations", module_pairs(t->implementations, t->n_implementations)) &&
        module_put(d, "metadata", module_pairs(t->metadata, t->n_metadata)))
        return d;
    Py_XDECREF(d);
    return NULL;
}

/* All that TEXT selects, as the command's --trials does; no trial at all is no error. */
static PyObject *store_trials(PyObject *self, PyObject *args)
{
    struct portolan_error err = {0};
    struct portolan_trial_list list = {0};
    struct portolan_store *store;
    enum portolan_status status;
    const char *text = NULL;
    PyObject *all;

    if (!PyArg_ParseTuple(args, "|z:trials", &text) || !(store = store_enter(self)))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = portolan_trials_select(store, text, &list, &err);
    Py_END_ALLOW_THREADS;
    store_leave(self);
    if (status == PORTOLAN_ENOTFOUND && !text) /* an empty store */
        status = PORTOLAN_OK;
    all = status ? module_raise(&err) : PyList_New(0);
    for (size_t i = 0; all && i < list.n; i++)
        all = module_append(all, trial_of(list.trials[i]));
    if (!status)
        portolan_trials_clear(&list);
    return all;
}

/* ------------------------------------------------------------------ columns of samples */

static void free_columns(PyObject *capsule)
{
    portolan_column_set_destroy(PyCapsule_GetPointer(capsule, NULL));
}

static PyObject *list_names(const char *const *names, size_t n)
{
    PyObject *list = PyList_New(0);

    for (size_t i = 0; list && i < n; i++)
        list = module_append(list, module_text(names[i]));
    return list;
}

/* Numbers as a block; names as a pair of a block of positions and a list. */
static PyObject *column_of(PyObject *owner, const struct portolan_column *c, size_t n)
{
    static const char formats[] = {'q', 'd', 'i'};
    PyObject *block = block_create(owner, c->values, n, formats[c->kind]), *names, *pair;

    if (!block || c->kind != PORTOLAN_COLUMN_NAME)
        return block;
    names = list_names(c->names, c->n_names);
    pair = names ? PyTuple_Pack(2, block, names) : NULL;
    Py_XDECREF(names);
    Py_DECREF(block);
    return pair;
}

static PyObject *columns_of(struct portolan_column_set *set)
{
    PyObject *owner = PyCapsule_New(set, NULL, free_columns), *table = PyDict_New();
    bool good = owner && table;

    if (!owner)
        portolan_column_set_destroy(set);
    for (size_t i = 0; good && i < set->n_columns; i++)
        good = module_put(table, set->columns[i].name,
                          column_of(owner, &set->columns[i], set->n_rows));
    Py_XDECREF(owner);
    if (!good)
        Py_CLEAR(table);
    return table;
}

/* The texts of a sequence, which keeps them; NULL with an exception. */
static const char **take_texts(PyObject *sequence, size_t *n)
{
    Py_ssize_t length = PySequence_Size(sequence);
    const char **texts = length < 0 ? NULL : portolan_calloc((size_t)length + 1, sizeof *texts);

    if (length >= 0 && !texts)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; texts && i < length; i++) {
        PyObject *item = PySequence_GetItem(sequence, i);

        texts[i] = item ? PyUnicode_AsUTF8AndSize(item, NULL) : NULL;
        Py_XDECREF(item); /* the sequence, a tuple, still has it */
        if (!texts[i]) {
            free(texts);
            return NULL;
        }
    }
    *n = texts ? (size_t)length : 0;
    return texts;
}

static int64_t *take_ids(PyObject *sequence, size_t *n)
{
    Py_ssize_t length = PySequence_Size(sequence);
    int64_t *ids = length < 0 ? NULL : portolan_calloc((size_t)length + 1, sizeof *ids);

    if (length >= 0 && !ids)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; ids && i < length; i++) {
        PyObject *item = PySequence_GetItem(sequence, i);

        ids[i] = item ? PyLong_AsLongLong(item) : -1;
        Py_XDECREF(item);
        if (PyErr_Occurred()) {
            free(ids);
            return NULL;
        }
    }
    *n = ids ? (size_t)length : 0;
    return ids;
}

static PyObject *read_columns(PyObject *self, const struct portolan_store_query *query,
                              const char *const *names, size_t n)
{
    struct portolan_error err = {0};
    struct portolan_column_set *set = NULL;
    struct portolan_store *store = store_enter(self);
    enum portolan_status status;

    if (!store)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = portolan_store_read_columns(store, query, names, n, &set, &err);
    Py_END_ALLOW_THREADS;
    store_leave(self);
    return status ? module_raise(&err) : columns_of(set);
}

/* columns(names or None, trials or None, rank, first, last, partial): bounds are None or numbers.
 */
static PyObject *store_columns(PyObject *self, PyObject *args)
{
    PyObject *columns, *trials, *bounds[3], *table = NULL;
    struct portolan_store_query query = {0};
    const char **names = NULL;
    int64_t *only = NULL;
    int numbers[3], partial;
    size_t n = 0;

    if (!PyArg_ParseTuple(args, "OOOOOp:columns", &columns, &trials, &bounds[0], &bounds[1],
                          &bounds[2], &partial))
        return NULL;
    for (int i = 0; i < 3; i++)
        numbers[i] = bounds[i] == Py_None ? 0 : (int)PyLong_AsLong(bounds[i]);
    if (PyErr_Occurred() || (columns != Py_None && !(names = take_texts(columns, &n))) ||
        (trials != Py_None && !(only = take_ids(trials, &query.n_only))))
        goto out;
    query.only = only;
    query.with_partial = partial;
    query.rank = bounds[0] == Py_None ? NULL : &numbers[0];
    query.first_step = bounds[1] == Py_None ? NULL : &numbers[1];
    query.last_step = bounds[2] == Py_None ? NULL : &numbers[2];
    table = read_columns(self, &query, names, n);
out:
    free(names);
    free(only);
    return table;
}

/* ------------------------------------------------------------------ single calls */

/* Numbers of single calls, column by column; integers are held by doubles too, up to 2^53. */
enum {
    ROW_PATH,
    ROW_STEP,
    ROW_ORDINAL,
    ROW_START,
    ROW_INCLUSIVE,
    ROW_EXCLUSIVE,
    ROW_MPI,
    ROW_QUALITY,
    ROW_ONE_IN,
    ROW_FIXED
};
enum { ROW_COLUMNS = ROW_FIXED + PORTOLAN_CONTEXT_MAX };
static const char *const row_names[] = {"path",     "step",         "ordinal",
                                        "start_ns", "inclusive_ns", "exclusive_ns",
                                        "mpi_ns",   "quality",      "one_in"};

struct calls {
    size_t n, capacity[ROW_COLUMNS];
    double *columns[ROW_COLUMNS];
    size_t n_paths, paths_capacity;
    struct portolan_sample *paths; /* names are copied into ARENA */
    struct portolan_arena arena;
    bool failed;
};

static void free_calls(PyObject *capsule)
{
    struct calls *c = PyCapsule_GetPointer(capsule, NULL);

    for (int i = 0; i < ROW_COLUMNS; i++)
        free(c->columns[i]);
    free(c->paths);
    portolan_arena_clear(&c->arena);
    free(c);
}

static const char *keep(struct calls *c, const char *text)
{
    return text ? portolan_arena_strdup(&c->arena, text) : NULL;
}

/* Paths come by number, in the order of their first rows. */
static bool keep_path(struct calls *c, size_t number, const struct portolan_sample *path)
{
    struct portolan_sample *p;

    if (number < c->n_paths)
        return true;
    if (!portolan_reserve(&c->paths, &c->paths_capacity, number + 1, sizeof *c->paths))
        return false;
    memset(c->paths + c->n_paths, 0, (number + 1 - c->n_paths) * sizeof *p);
    c->n_paths = number + 1;
    p = &c->paths[number];
    *p = *path;
    p->user = keep(c, path->user);
    p->uses = keep(c, path->uses);
    p->instance = keep(c, path->instance);
    p->port = keep(c, path->port);
    p->implementation = keep(c, path->implementation);
    p->port_type = keep(c, path->port_type);
    p->method = keep(c, path->method);
    for (int i = 0; i < path->n_context; i++)
        p->context_name[i] = keep(c, path->context_name[i]);
    return p->method != NULL;
}

static int take_call(void *arg, const struct portolan_sample *path,
                     const struct portolan_invocation *row)
{
    struct calls *c = arg;
    double values[ROW_COLUMNS] = {(double)row->path, row->step,         (double)row->ordinal,
                                  row->start_ns,     row->inclusive_ns, row->exclusive_ns,
                                  row->mpi_ns,       row->quality,      row->one_in};

    for (int i = 0; i < PORTOLAN_CONTEXT_MAX; i++)
        values[ROW_FIXED + i] = i < path->n_context ? row->context[i] : NAN;
    for (int i = 0; i < ROW_COLUMNS && !c->failed; i++)
        if (!portolan_reserve(&c->columns[i], &c->capacity[i], c->n + 1, sizeof **c->columns))
            c->failed = true;
        else
            c->columns[i][c->n] = values[i];
    c->failed = c->failed || !keep_path(c, (size_t)row->path, path);
    c->n += !c->failed;
    return c->failed;
}

static const struct module_member path_members[] = {
    MEMBER(INT, portolan_sample, rank),
    MEMBER(INT, portolan_sample, thread),
    MEMBER(TEXT, portolan_sample, user),
    MEMBER(TEXT, portolan_sample, uses),
    MEMBER(TEXT, portolan_sample, instance),
    MEMBER(TEXT, portolan_sample, port),
    MEMBER(TEXT, portolan_sample, implementation),
    MEMBER(TEXT, portolan_sample, port_type),
    MEMBER(TEXT, portolan_sample, method),
    {"context1", MEMBER_TEXT, offsetof(struct portolan_sample, context_name[0])},
    {"context2", MEMBER_TEXT, offsetof(struct portolan_sample, context_name[1])},
    {"context3", MEMBER_TEXT, offsetof(struct portolan_sample, context_name[2])},
    {"context4", MEMBER_TEXT, offsetof(struct portolan_sample, context_name[3])},
};

/* (columns, paths): the contexts of a row are columns context1 … context4, named by its path. */
static PyObject *calls_of(struct calls *c, PyObject *owner)
{
    PyObject *table = PyDict_New(), *paths = PyDict_New(), *pair = NULL;
    bool good = table && paths &&
                module_add_rows(paths, path_members, sizeof path_members / sizeof *path_members,
                                c->paths, c->n_paths, sizeof *c->paths);

    for (int i = 0; good && i < ROW_COLUMNS; i++) {
        char name[] = "context1";

        name[7] = (char)('1' + i - ROW_FIXED);
        good = module_put(table, i < ROW_FIXED ? row_names[i] : name,
                          block_create(owner, c->columns[i], c->n, 'd'));
    }
    if (good)
        pair = PyTuple_Pack(2, table, paths);
    Py_XDECREF(table);
    Py_XDECREF(paths);
    return pair;
}

static PyObject *store_calls(PyObject *self, PyObject *args)
{
    struct portolan_error err = {0};
    struct portolan_store *store;
    enum portolan_status status;
    PyObject *owner, *made;
    struct calls *c;
    long long trial;

    if (!PyArg_ParseTuple(args, "L:calls", &trial))
        return NULL;
    if (!(c = portolan_calloc(1, sizeof *c)))
        return PyErr_NoMemory();
    if (!(owner = PyCapsule_New(c, NULL, free_calls)))
        return free(c), NULL;
    if ((store = store_enter(self))) {
        Py_BEGIN_ALLOW_THREADS;
        status = portolan_store_visit_invocations(store, trial, NULL, take_call, c, &err);
        Py_END_ALLOW_THREADS;
        store_leave(self);
        made = status ? module_raise(&err) : c->failed ? PyErr_NoMemory() : calls_of(c, owner);
    } else {
        made = NULL;
    }
    Py_DECREF(owner);
    return made;
}

/* ------------------------------------------------------------------ small tables */

static const struct module_member reason_members[] = {
    MEMBER(INT64, portolan_reason, trial),    MEMBER(INT, portolan_reason, number),
    MEMBER(INT, portolan_reason, step),       MEMBER(TEXT, portolan_reason, asked_by),
    MEMBER(TEXT, portolan_reason, change),    MEMBER(TEXT, portolan_reason, choice),
    MEMBER(TEXT, portolan_reason, binding),   MEMBER(INT, portolan_reason, steps),
    MEMBER(INT, portolan_reason, trials),     MEMBER(DOUBLE, portolan_reason, now_ns),
    MEMBER(DOUBLE, portolan_reason, step_ns), MEMBER(DOUBLE, portolan_reason, low_ns),
    MEMBER(DOUBLE, portolan_reason, high_ns), MEMBER(DOUBLE, portolan_reason, cost_ns),
    MEMBER(DOUBLE, portolan_reason, chance),  MEMBER(TEXT, portolan_reason, text),
    MEMBER(TEXT, portolan_reason, outcome),
};
static const struct module_member alternative_members[] = {
    MEMBER(INT64, portolan_alternative, trial),
    MEMBER(INT, portolan_alternative, number),
    MEMBER(TEXT, portolan_alternative, instance),
    MEMBER(TEXT, portolan_alternative, implementation),
    MEMBER(BOOL, portolan_alternative, chosen),
    MEMBER(INT, portolan_alternative, rows),
    MEMBER(DOUBLE, portolan_alternative, step_ns),
    MEMBER(DOUBLE, portolan_alternative, low_ns),
    MEMBER(DOUBLE, portolan_alternative, high_ns),
    MEMBER(DOUBLE, portolan_alternative, forced_ns),
    MEMBER(DOUBLE, portolan_alternative, chance),
    MEMBER(TEXT, portolan_alternative, binding),
    MEMBER(TEXT, portolan_alternative, text),
};
static const struct module_member expectation_members[] = {
    MEMBER(INT64, portolan_expectation, trial),
    MEMBER(INT, portolan_expectation, step),
    MEMBER(TEXT, portolan_expectation, path),
    MEMBER(TEXT, portolan_expectation, cause),
    MEMBER(DOUBLE, portolan_expectation, expected_ns),
    MEMBER(DOUBLE, portolan_expectation, low_ns),
    MEMBER(DOUBLE, portolan_expectation, high_ns),
    MEMBER(DOUBLE, portolan_expectation, measured_ns),
};

#define ADD(TABLE, MEMBERS, ROWS, N)                                                               \
    module_add_rows(TABLE, MEMBERS, sizeof(MEMBERS) / sizeof *(MEMBERS), ROWS, N, sizeof *(ROWS))

/* Adds what explains TRIAL to three tables: decisions, alternatives, expectations. */
static PyObject *store_reasons(PyObject *self, PyObject *args)
{
    PyObject *decisions, *alternatives, *expectations;
    struct portolan_reason_set *set = NULL;
    struct portolan_error err = {0};
    struct portolan_store *store;
    enum portolan_status status;
    long long trial;
    bool good;

    if (!PyArg_ParseTuple(args, "LOOO:reasons", &trial, &decisions, &alternatives, &expectations) ||
        !(store = store_enter(self)))
        return NULL;
    status = portolan_store_read_reasons(store, trial, &set, &err);
    store_leave(self);
    if (status)
        return module_raise(&err);
    good = ADD(decisions, reason_members, set->reasons, set->n_reasons) &&
           ADD(alternatives, alternative_members, set->alternatives, set->n_alternatives) &&
           ADD(expectations, expectation_members, set->expectations, set->n_expectations);
    portolan_reason_set_destroy(set);
    if (!good)
        return NULL;
    Py_RETURN_NONE;
}

#define STATISTICS(NAME)                                                                           \
    {#NAME, MEMBER_DOUBLE, offsetof(struct portolan_path_summary, NAME.sum)},                      \
        {#NAME "_mean", MEMBER_DOUBLE, offsetof(struct portolan_path_summary, NAME.mean)},         \
        {#NAME "_min", MEMBER_DOUBLE, offsetof(struct portolan_path_summary, NAME.min)},           \
        {#NAME "_max", MEMBER_DOUBLE, offsetof(struct portolan_path_summary, NAME.max)},           \
        {#NAME "_stddev", MEMBER_DOUBLE, offsetof(struct portolan_path_summary, NAME.stddev)},     \
    {                                                                                              \
#NAME "_max_rank", MEMBER_INT, offsetof(struct portolan_path_summary, NAME.max_rank)       \
    }
static const struct module_member summary_members[] = {
    MEMBER(INT64, portolan_path_summary, parent),
    MEMBER(TEXT, portolan_path_summary, user),
    MEMBER(TEXT, portolan_path_summary, uses),
    MEMBER(TEXT, portolan_path_summary, instance),
    MEMBER(TEXT, portolan_path_summary, port),
    MEMBER(TEXT, portolan_path_summary, implementation),
    MEMBER(TEXT, portolan_path_summary, port_type),
    MEMBER(TEXT, portolan_path_summary, method),
    MEMBER(INT, portolan_path_summary, n_ranks),
    MEMBER(INT, portolan_path_summary, n_threads),
    STATISTICS(calls),
    STATISTICS(inclusive),
    STATISTICS(exclusive),
    STATISTICS(mpi),
};

/* The call tree of a trial over all ranks, parents first. */
static PyObject *store_summary(PyObject *self, PyObject *args)
{
    struct portolan_summary_set *set = NULL;
    struct portolan_error err = {0};
    struct portolan_store *store;
    enum portolan_status status;
    PyObject *table;
    long long trial;

    if (!PyArg_ParseTuple(args, "L:summary", &trial) || !(store = store_enter(self)))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = portolan_store_read_summary(store, trial, &set, NULL, &err);
    Py_END_ALLOW_THREADS;
    store_leave(self);
    if (status)
        return module_raise(&err);
    table = PyDict_New();
    if (table && !ADD(table, summary_members, set->rows, set->n))
        Py_CLEAR(table);
    portolan_summary_set_destroy(set);
    return table;
}

bool store_add(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"trials", store_trials, METH_VARARGS, "Trials that a text selects."},
        {"columns", store_columns, METH_VARARGS, "Columns of samples."},
        {"calls", store_calls, METH_VARARGS, "Single calls of a trial."},
        {"reasons", store_reasons, METH_VARARGS, "What explains a trial."},
        {"summary", store_summary, METH_VARARGS, "The call tree of a trial."},
        {"close", store_close, METH_NOARGS, "Closes the store."},
        {0},
    };
    static PyType_Slot slots[] = {
        {Py_tp_new, store_make},
        {Py_tp_dealloc, store_free},
        {Py_tp_methods, methods},
        {Py_tp_doc, "An experiment store, open for reading."},
        {0},
    };

    return module_add_type(module, "portolan._portolan.Store", sizeof(struct store), 0, slots,
                           NULL);
}
