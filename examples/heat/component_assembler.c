/* SPDX-License-Identifier: BSD-3-Clause */
#include "component_matrix.h"
#include "heat_component.h"

static void assembler_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    heat_provide(services, self, "assembler", "heat.Assembler", _ex);
}

static enum portolan_status check_box(const struct heat_box *box, int nodes, int n,
                                      struct portolan_error *err)
{
    if (box->dimension != 2 && box->dimension != 3)
        return portolan_error_set(err, PORTOLAN_EINVAL, "dimension %d: wanted 2 or 3",
                                  box->dimension);
    if (heat_box_order(box) != n || (box->dimension == 2 && box->nz != 1))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "a box of %d x %d x %d points does not have %d unknowns", box->nx,
                                  box->ny, box->nz, n);
    if (n && heat_box_nodes(box) != (size_t)nodes)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "%d conductivities: a box of %d x %d x %d points needs %zu",
                                  nodes, box->nx, box->ny, box->nz, heat_box_nodes(box));
    return PORTOLAN_OK;
}

static heat_Matrix assembler_assemble(void *self, struct sidl_double__array *conductivity,
                                      int32_t dimension, int32_t nx, int32_t ny, int32_t nz,
                                      double scale, int32_t n, sidl_BaseInterface *_ex)
{
    struct heat_assembler_component *a = self;
    struct heat_box box = {.dimension = dimension,
                           .nx = nx,
                           .ny = ny,
                           .nz = nz,
                           .scale = scale,
                           .conductivity = conductivity->d_firstElement};
    struct portolan_error err = {0};
    enum portolan_status status = check_box(&box, sidlLength(conductivity, 0), n, &err);
    sidl_BaseInterface ignored;
    heat_Matrix matrix;

    if (!status && !a->matrix) {
        a->matrix = heat_matrix_object_create(_ex);
        if (!a->matrix)
            return NULL;
    }
    if (!status)
        status = a->kind->assemble(&box, &a->matrix->data, &err);
    if (status) {
        heat_throw(_ex, &err);
        return NULL;
    }
    matrix = sidl_object_facet(a->matrix, "heat.Matrix");
    heat_Matrix_addRef(matrix, &ignored);
    return matrix;
}

static const struct gov_cca_Component__epv component_epv = {.f_setServices =
                                                                assembler_set_services};
static const struct heat_Assembler__epv assembler_epv = {.f_assemble = assembler_assemble};

const struct sidl_implements heat_assembler_implements[2] = {
    {&gov_cca_Component__type, &component_epv},
    {&heat_Assembler__type, &assembler_epv},
};

void heat_assembler_component_destroy(void *self)
{
    struct heat_assembler_component *a = self;

    if (a->matrix)
        sidl_object_release(a->matrix);
}

gov_cca_Component heat_assembler_component_create(const struct heat_assembler_kind *kind,
                                                  sidl_BaseInterface *_ex)
{
    struct heat_assembler_component *a = sidl_object_create(&kind->cls, _ex);

    if (!a)
        return NULL;
    a->kind = kind;
    return sidl_object_facet(a, "gov.cca.Component");
}
