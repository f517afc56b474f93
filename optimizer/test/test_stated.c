/* SPDX-License-Identifier: BSD-3-Clause */
/* Models in files, of implementations that were never measured. */
#include <unit_test.h>

#include "plan_check.h"
#include "positions.h"
#include "world.h"

/* A file that says CONSTANT · PARAM^EXPONENT microseconds; the text is the caller's to free. */
static struct portolan_assembly_model stated(const char *method, const char *param, double exponent,
                                             double constant)
{
    const struct portolan_model_term term = {
        .constant = constant, .std_error = NAN, .shape = {.exponents = {exponent}}};
    const struct portolan_model_envelope envelope = {.unit = "us"};
    struct portolan_assembly_model m = {.file = "cg.xml", .method = method, .line = 3};
    struct portolan_model *model;
    char *text;

    assert_int_equal(portolan_model_create(1, &param, &term, 1, &model, NULL), 0);
    assert_int_equal(portolan_model_describe(model, &envelope, NULL), 0);
    assert_int_equal(portolan_model_write_xml(model, &text, NULL), 0);
    portolan_model_destroy(model);
    m.text = text;
    m.size = strlen(text);
    return m;
}

/* Cg is in no trial; nor are its calls to a preconditioner, which a file has within its time. */
static void what_was_never_measured_costs_what_files_say(void **state)
{
    static const char *const preconditioners[] = {"heat.Jacobi", "heat.Ssor"};
    struct portolan_assembly_alternative solvers[3];
    struct portolan_assembly_instance instances[6];
    struct portolan_assembly a = world_assembly;
    struct portolan_assembly_model models[] = {stated("setup", "driver.n", 2, 2e-3),
                                               stated("solve", "dof", 1, 240e-3)};
    struct world *w = world_create(1);
    struct portolan_plan_prediction t;
    struct portolan_error err = {0};
    struct portolan_plan *p;

    memcpy(solvers, world_solver, sizeof solvers);
    memcpy(instances, world_instances, sizeof instances);
    instances[2].alternatives = solvers;
    solvers[2].n_models = 2;
    solvers[2].models = models;
    a.instances = instances;
    for (size_t i = 0; i < 4 * 4; i++) {
        size_t x[] = {i % 2, i / 2 % 2, 0, 0};

        world_trial(w, "explore", x, -1, x, (const double[]){16, 24, 32, 48}[i / 4], 4);
    }
    p = plan_or_fail(&a, &w->set, w->ranks);
    for (size_t k = 0; k < 2; k++) {
        const struct portolan_name_value cg[] = {{"solver", "heat.Cg"},
                                                 {"preconditioner", preconditioners[k]}};

        if (portolan_plan_predict(p, positions(&a, cg, 2), &t, &err))
            fail_msg("%s", err.text);
        assert_near(t.total_ns, truth_total((const size_t[]){0, 2, 0, 0}, 96, 60), 0.02);
    }
    assert_string_equal(portolan_plan_peek_note(p, 0),
                        "from model files, not measured: solver=heat.Cg");
    portolan_plan_destroy(p);
    models[1].method = NULL;
    assert_int_equal(
        portolan_plan_create(&a, &w->set, &(struct portolan_plan_options){.ranks = 1}, &p, &err),
        PORTOLAN_EINVAL);
    assert_non_null(strstr(err.text, "plate.xml:3: error: <model> of 'solver' must name its"));
    world_destroy(w);
    for (size_t i = 0; i < 2; i++)
        free((char *)models[i].text);
}

UNIT_TESTS(cmocka_unit_test(what_was_never_measured_costs_what_files_say))
