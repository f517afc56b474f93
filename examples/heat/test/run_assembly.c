/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_assembly.h"

#include <mpi.h>

int rank, size;

static enum portolan_status build_and_go(const struct portolan_palette *palette,
                                         const char *assembly_path, struct portolan_diagnostics *d,
                                         struct portolan_error *err)
{
    struct portolan_assembly *assembly = NULL;
    struct portolan_framework *fw = NULL;
    enum portolan_status status;
    int result = -9;

    assert_int_equal(portolan_assembly_read(assembly_path, d, &assembly, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_assembly_check(assembly, palette, d), PORTOLAN_OK);
    assert_int_equal(portolan_framework_create(palette, NULL, &fw, NULL), PORTOLAN_OK);
    status = portolan_framework_build(fw, assembly, err);
    if (!status)
        status = portolan_framework_go(fw, &result, err);
    if (!status)
        assert_int_equal(result, 0);
    portolan_framework_destroy(fw);
    portolan_assembly_destroy(assembly);
    return status;
}

enum portolan_status run_assembly(const char *body, const struct portolan_component *component,
                                  const char *description, struct portolan_error *err)
{
    struct heard h = {0};
    struct portolan_diagnostics d = {.report = hear, .arg = &h};
    struct portolan_palette *palette = NULL;
    enum portolan_status status;
    char *text = portolan_asprintf("<assembly name='test'>%s</assembly>", body);

    assert_non_null(text);
    assert_int_equal(portolan_palette_create(&palette, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_palette_add_builtin(palette, component, description, NULL),
                     PORTOLAN_OK);
    assert_int_equal(portolan_palette_add_path(palette, HEAT_COMPONENTS, &d, NULL), PORTOLAN_OK);
    status = build_and_go(palette, test_file_write("assembly.xml", text), &d, err);
    if (h.count)
        print_error("%s", h.text);
    free(text);
    portolan_palette_destroy(palette);
    return status;
}

int main(int argc, char **argv)
{
    int failed;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    failed = run_heat_tests();
    MPI_Finalize();
    return failed;
}
