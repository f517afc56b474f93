/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts, their assembly and their conversions against each other. */
#include "heat_assemble.h"

#include "check.h"

enum { MOST = 64, NODES = 512 };

typedef enum portolan_status (*assemble_fn)(const struct heat_box *, struct heat_matrix *,
                                            struct portolan_error *);
static const assemble_fn assemblers[] = {heat_assemble_csc, heat_assemble_band,
                                         heat_assemble_stencil};

/* The boxes tried: full ones and those that are thin in some direction. */
static const int shapes[][4] = {{2, 4, 5, 1}, {2, 1, 6, 1}, {2, 7, 1, 1},
                                {2, 1, 1, 1}, {3, 3, 4, 5}, {3, 1, 4, 3},
                                {3, 4, 1, 3}, {3, 3, 4, 1}, {3, 1, 1, 5}};

static struct heat_box box_of(const int shape[4], double *conductivity)
{
    struct heat_box box = {.dimension = shape[0],
                           .nx = shape[1],
                           .ny = shape[2],
                           .nz = shape[3],
                           .scale = 0.7,
                           .conductivity = conductivity};

    for (size_t i = 0; i < heat_box_nodes(&box); i++)
        conductivity[i] = 1.0 + 0.5 * sin(1.7 * (double)i);
    return box;
}

static double node(const struct heat_box *box, const int at[3])
{
    size_t z = box->dimension == 3 ? (size_t)(at[2] + 1) : 0;
    size_t line = z * (size_t)(box->ny + 2) + (size_t)(at[1] + 1);

    return box->conductivity[line * (size_t)(box->nx + 2) + (size_t)(at[0] + 1)];
}

/* The matrix of heat_assemble.h written down from its definition, dense. */
static void dense_of(const struct heat_box *box, double dense[MOST][MOST])
{
    int size[3] = {box->nx, box->ny, box->nz}, order = heat_box_order(box);

    memset(dense, 0, sizeof(double[MOST][MOST]));
    for (int i = 0; i < order; i++) {
        int at[3] = {i % size[0], i / size[0] % size[1], i / (size[0] * size[1])};

        dense[i][i] = 1.0;
        for (int d = 0; d < box->dimension; d++)
            for (int side = -1; side <= 1; side += 2) {
                int other[3] = {at[0], at[1], at[2]};
                double face;

                other[d] += side;
                face = box->scale * 0.5 * (node(box, at) + node(box, other));
                dense[i][i] += face;
                if (other[d] >= 0 && other[d] < size[d])
                    dense[i][(other[2] * size[1] + other[1]) * size[0] + other[0]] -= face;
            }
    }
}

/* Rounding of a handful of terms of size 1. */
static void assert_same_matrix(const struct heat_matrix *m, double dense[MOST][MOST])
{
    double x[MOST] = {0}, y[MOST], diagonal[MOST];

    heat_matrix_diagonal(m, diagonal);
    for (int j = 0; j < m->order; j++) {
        x[j] = 1.0;
        heat_matrix_multiply(m, x, y);
        for (int i = 0; i < m->order; i++)
            assert_near(y[i], dense[i][j], 1e-14);
        assert_near(diagonal[j], dense[j][j], 1e-14);
        x[j] = 0.0;
    }
}

static void every_assembler_gives_the_same_matrix(void **state)
{
    static double conductivity[NODES], dense[MOST][MOST];

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        struct heat_box box = box_of(shapes[s], conductivity);

        dense_of(&box, dense);
        for (int a = 0; a < 3; a++) {
            struct heat_matrix m = {0};

            assert_int_equal(assemblers[a](&box, &m, NULL), PORTOLAN_OK);
            assert_int_equal(m.layout, a);
            assert_int_equal(m.order, heat_box_order(&box));
            assert_same_matrix(&m, dense);
            heat_matrix_clear(&m);
        }
    }
}

static void every_conversion_keeps_the_matrix(void **state)
{
    static double conductivity[NODES], dense[MOST][MOST];
    struct heat_matrix out = {0}; /* used again for all, so that it grows and shrinks */

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        struct heat_box box = box_of(shapes[s], conductivity);

        dense_of(&box, dense);
        for (int a = 0; a < 3; a++) {
            struct heat_matrix m = {0};

            assert_int_equal(assemblers[a](&box, &m, NULL), PORTOLAN_OK);
            assert_int_equal(heat_matrix_to_csc(&m, &out, NULL), PORTOLAN_OK);
            assert_int_equal(out.layout, HEAT_CSC);
            assert_same_matrix(&out, dense);
            assert_int_equal(heat_matrix_to_band(&m, &out, NULL), PORTOLAN_OK);
            assert_int_equal(out.layout, HEAT_BAND);
            assert_same_matrix(&out, dense);
            assert_int_equal(heat_matrix_to_sparse(&m, &out, NULL), PORTOLAN_OK);
            assert_int_not_equal(out.layout, HEAT_BAND);
            assert_same_matrix(&out, dense);
            heat_matrix_clear(&m);
        }
    }
    heat_matrix_clear(&out);
}

static void columns_are_sorted_and_start_with_the_diagonal(void **state)
{
    static double conductivity[NODES];
    struct heat_matrix out = {0};

    for (int a = 0; a < 3; a++) {
        struct heat_matrix m = {0};
        struct heat_box box = box_of(shapes[4], conductivity);

        assert_int_equal(assemblers[a](&box, &m, NULL), PORTOLAN_OK);
        assert_int_equal(heat_matrix_to_csc(&m, &out, NULL), PORTOLAN_OK);
        for (int j = 0; j < out.order; j++) {
            assert_int_equal(out.row[out.column_start[j]], j);
            for (int k = out.column_start[j] + 1; k < out.column_start[j + 1]; k++)
                assert_true(out.row[k] > out.row[k - 1]);
        }
        heat_matrix_clear(&m);
    }
    heat_matrix_clear(&out);
}

static void a_number_that_is_not_finite_is_named_with_its_place(void **state)
{
    static double conductivity[NODES];
    static const char *const says[] = {"row 1, column 0", "row 1, column 0", "row 1, column 1"};

    for (int a = 0; a < 3; a++) {
        struct heat_matrix m = {0};
        struct heat_box box = box_of(shapes[0], conductivity);
        struct portolan_error err = {0};

        assert_int_equal(assemblers[a](&box, &m, NULL), PORTOLAN_OK);
        assert_int_equal(heat_matrix_check_finite(&m, &err), PORTOLAN_OK);
        m.value[1] = NAN;
        assert_int_equal(heat_matrix_check_finite(&m, &err), PORTOLAN_EINVAL);
        assert_non_null(strstr(err.text, says[a]));
        heat_matrix_clear(&m);
    }
}

static void a_box_that_is_empty_or_too_large_is_refused(void **state)
{
    static double conductivity[NODES];

    for (int a = 0; a < 3; a++) {
        struct heat_matrix m = {0};
        struct heat_box box = box_of(shapes[0], conductivity);

        box.ny = 0;
        assert_int_equal(assemblers[a](&box, &m, NULL), PORTOLAN_EINVAL);
        box = (struct heat_box){.dimension = 3, .nx = 60000, .ny = 60000, .nz = 60000};
        assert_int_equal(assemblers[a](&box, &m, NULL), PORTOLAN_EINVAL);
        heat_matrix_clear(&m);
    }
}

static void running_out_of_memory_is_reported_at_every_allocation(void **state)
{
    static double conductivity[NODES];
    struct heat_box box = box_of(shapes[4], conductivity);

    for (int a = 0; a < 3; a++)
        for (unsigned long nth = 1;; nth++) {
            struct heat_matrix m = {0}, out = {0};
            enum portolan_status status;

            portolan_alloc_fail_at(nth);
            status = assemblers[a](&box, &m, NULL);
            if (!status)
                status = heat_matrix_to_csc(&m, &out, NULL);
            if (!status)
                status = heat_matrix_to_band(&m, &out, NULL);
            portolan_alloc_fail_at(0);
            heat_matrix_clear(&m);
            heat_matrix_clear(&out);
            if (!status)
                break;
            assert_int_equal(status, PORTOLAN_ENOMEM);
            assert_true(nth < 20);
        }
}

UNIT_TESTS(cmocka_unit_test(every_assembler_gives_the_same_matrix),
           cmocka_unit_test(every_conversion_keeps_the_matrix),
           cmocka_unit_test(columns_are_sorted_and_start_with_the_diagonal),
           cmocka_unit_test(a_number_that_is_not_finite_is_named_with_its_place),
           cmocka_unit_test(a_box_that_is_empty_or_too_large_is_refused),
           cmocka_unit_test(running_out_of_memory_is_reported_at_every_allocation))
