/* SPDX-License-Identifier: BSD-3-Clause */
/* The extension module portolan._portolan: what its files share. The limited API of CPython 3.11,
 * so that one build serves all later ones; functions hold the interpreter's lock unless they say
 * so. */
#ifndef PORTOLAN_PYTHON_MODULE_H
#define PORTOLAN_PYTHON_MODULE_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <portolan/base.h>
#include <portolan/study.h>

/* portolan.Error, and portolan.CannotTell of it: the data do not allow an answer. */
extern PyObject *module_error, *module_cannot_tell;

/* Raises ERR as CLASS, or as MemoryError; returns NULL. */
PyObject *module_raise_as(PyObject *class, const struct portolan_error *err);
PyObject *module_raise(const struct portolan_error *err);

/* Collects what is wrong with files, all of it, line by line. */
struct module_problems {
    struct portolan_diagnostics d;
    struct portolan_text text;
};
void module_problems_begin(struct module_problems *p);
/* Raises what was collected or, if nothing was, ERR; empties P. Returns NULL. */
PyObject *module_problems_raise(struct module_problems *p, const struct portolan_error *err);

/* The text, which is freed; NULL with an exception when it is NULL. */
PyObject *module_take_text(char *text, const struct portolan_error *err);

/* DICT[NAME] = VALUE, whose reference is taken; false, with an exception, if VALUE is NULL. */
bool module_put(PyObject *dict, const char *name, PyObject *value);
/* A number that is not known is NaN; a text that is not there None. */
PyObject *module_text(const char *text);
/* A dictionary of the pairs. */
PyObject *module_pairs(const struct portolan_name_value *pairs, size_t n);

/* LIST with VALUE, whose reference is taken, at its end; NULL, with an exception and without LIST,
 * if VALUE is NULL. */
PyObject *module_append(PyObject *list, PyObject *value);

/* Members of structs by name, for tables of them. */
struct module_member {
    const char *name;
    enum { MEMBER_BOOL, MEMBER_INT, MEMBER_INT64, MEMBER_DOUBLE, MEMBER_TEXT } kind;
    size_t offset;
};
#define MEMBER(KIND, STRUCT, NAME)                                                                 \
    {                                                                                              \
#NAME, MEMBER_##KIND, offsetof(struct STRUCT, NAME)                                        \
    }
/* Adds the N rows of SIZE bytes to the lists of TABLE, a dictionary; false with an exception. */
bool module_add_rows(PyObject *table, const struct module_member *members, size_t n_members,
                     const void *rows, size_t n, size_t size);

/* A block of N numbers in memory that OWNER keeps, with the buffer interface: FORMAT is that of
 * struct.pack, 'q', 'd' or 'i'. */
PyObject *block_create(PyObject *owner, void *values, size_t n, char format);

/* An array of doubles that an argument has: a buffer of format "d", contiguous. */
bool block_take(PyObject *of, Py_buffer *view, bool writable, size_t n);

/* Types, each added by its file; false with an exception. NAME begins with the module's; FLAGS are
 * in addition to the default ones; *TYPE, if TYPE is not NULL, gets a reference. */
bool module_add_type(PyObject *module, const char *name, size_t size, unsigned int flags,
                     PyType_Slot *slots, PyObject **type);
/* The last step of a destructor. */
void module_free(PyObject *self);
bool block_add(PyObject *module), store_add(PyObject *module), assembly_add(PyObject *module),
    plan_add(PyObject *module), model_add(PyObject *module), framework_add(PyObject *module);

/* The workbench of an Assembly object, which the object keeps. */
struct workbench *assembly_peek(PyObject *self);

/* A model that OWNER keeps. */
PyObject *model_wrap(PyObject *owner, const struct portolan_model *model);

/* Ranks and their MPI, which is loaded with the first run. NULL with an exception. */
struct portolan_cohort *ranks_begin(void);
/* Offers what needs MPI in the framework. */
struct portolan_framework;
enum portolan_status ranks_serve(struct portolan_framework *fw, struct portolan_error *err);
/* Collective: one verdict of all ranks; a rank that cannot reach the others ends the job. */
enum portolan_status ranks_settle(enum portolan_status status, struct portolan_error *err);
/* Before the process ends. */
void ranks_end(void);

/* Functions of the module. */
PyObject *measure_function(PyObject *module, PyObject *args);

#endif
