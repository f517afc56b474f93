/* SPDX-License-Identifier: BSD-3-Clause */
#include "component_matrix.h"
#include "heat_component.h"

#include <dlfcn.h>
#include <stdlib.h>

void heat_throw(sidl_BaseInterface *_ex, const struct portolan_error *err)
{
    SIDL_THROW(*_ex, heat_SolverException, err->text);
EXIT:;
}

void heat_provide(gov_cca_Services services, void *self, const char *port, const char *type,
                  sidl_BaseInterface *_ex)
{
    gov_cca_Port facet = sidl_object_facet(self, "gov.cca.Port");

    gov_cca_Services_addProvidesPort(services, facet, port, type, NULL, _ex);
}

static enum heat_Layout__enum matrix_layout(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return (enum heat_Layout__enum)((struct heat_matrix_object *)self)->data.layout;
}

static int32_t matrix_order(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return ((struct heat_matrix_object *)self)->data.order;
}

static void *matrix_data(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return &((struct heat_matrix_object *)self)->data;
}

static void matrix_destroy(void *self)
{
    heat_matrix_clear(&((struct heat_matrix_object *)self)->data);
}

static const struct heat_Matrix__epv matrix_epv = {
    .f_getLayout = matrix_layout, .f_getOrder = matrix_order, .f_getData = matrix_data};
static const struct sidl_implements matrix_implements[] = {{&heat_Matrix__type, &matrix_epv}};
static const struct sidl_class matrix_class = {.name = "heat.AssembledMatrix",
                                               .version = "1.0",
                                               .size = sizeof(struct heat_matrix_object),
                                               .implements = matrix_implements,
                                               .n_implements = 1,
                                               .destroy = matrix_destroy};

struct heat_matrix_object *heat_matrix_object_create(sidl_BaseInterface *_ex)
{
    return sidl_object_create(&matrix_class, _ex);
}

const struct heat_matrix *heat_matrix_peek(heat_Matrix a, sidl_BaseInterface *_ex)
{
    const struct heat_matrix *data = NULL;
    struct portolan_error err = {0};

    if (a)
        data = heat_Matrix_getData(a, _ex);
    if (!data && !*_ex) {
        portolan_error_set(&err, PORTOLAN_EINVAL, "no matrix was given");
        heat_throw(_ex, &err);
    }
    return *_ex ? NULL : data;
}

/* Calls the function NAME(value), where the calling plug-in has it in reach. */
static void call_if_there(const char *name, int value)
{
    void (*set)(int);

    /* ISO C has no cast from object to function pointer. */
    *(void **)&set = dlsym(RTLD_DEFAULT, name);
    if (set)
        set(value);
}

void heat_use_one_thread(void)
{
    call_if_there("openblas_set_num_threads", 1);
    /* CHOLMOD asks for 4 OpenMP threads whatever the environment says; level 0 grants one. */
    call_if_there("omp_set_max_active_levels", 0);
}

char *heat_blas_library(void)
{
    void *dgemm = dlsym(RTLD_DEFAULT, "dgemm_");
    Dl_info info;
    char *path;

    if (!dgemm || !dladdr(dgemm, &info) || !info.dli_fname)
        return NULL;
    path = realpath(info.dli_fname, NULL);
    return path ? path : portolan_strdup(info.dli_fname);
}
