/* SPDX-License-Identifier: BSD-3-Clause */
/** Classes of SIDL: shared by class.c (objects) and class_link.c (what is computed once). */
#ifndef SIDL_CLASS_H
#define SIDL_CLASS_H

#include "runtime_internal.h"

/* Links and loads CLS, which has a state, and its parents; cheap when that is done. */
bool class_prepare(const struct sidl_class *cls, sidl_BaseInterface *_ex);
/* True when that has been done, `load` included. */
bool class_is_ready(const struct sidl_class *cls);

/* The class of that name: linked in, or found by the loader. NULL with *_ex set. */
const struct sidl_class *class_resolve(const char *name,
                                       const struct sidl_class *(*externals)(void),
                                       sidl_BaseInterface *_ex);

/* True for an exception class that adds no methods to sidl.SIDLException's, nor do its parents. */
bool class_is_plain_exception(const struct sidl_type *type);

#endif
