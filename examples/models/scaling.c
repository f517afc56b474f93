/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program's own use of Portolan's models, without the framework: what does a solver cost at sizes
 * and numbers of processes that were not measured?
 *
 *     cc scaling.c $(pkg-config --cflags --libs portolan-models) -o scaling
 *
 * Compiles as C and as C++.
 */
#include <portolan/models.h>

#include <stdio.h>
#include <stdlib.h>

/* Seconds on 2 to 32 processes: 100 / p + 0.05 p, measured twice each. */
static const double processes[] = {2, 2, 4, 4, 8, 8, 16, 16, 32, 32};
static const double seconds[] = {50.1, 50.1, 25.2, 25.2, 12.9, 12.9, 7.05, 7.05, 4.725, 4.725};

static int fail(const char *what, const struct portolan_error *err)
{
    fprintf(stderr, "scaling: %s: %s\n", what, err->text);
    return EXIT_FAILURE;
}

int main(void)
{
    static const char *const names[] = {"p"};
    const double asked = 256;
    struct portolan_model_data data = {0};
    struct portolan_error err = {0};
    struct portolan_model *model = NULL;
    struct portolan_prediction at;
    char *xml = NULL;

    data.n_params = 1;
    data.params = names;
    data.n_rows = sizeof seconds / sizeof *seconds;
    data.x = processes;
    data.y = seconds;
    if (portolan_model_fit(&data, NULL, &model, &err) != PORTOLAN_OK)
        return fail("no model", &err);
    printf("%s%s\n", portolan_model_peek_formula(model),
           portolan_model_fits(model) ? "" : ", which does not fit");
    if (portolan_model_predict(model, &asked, &at) == PORTOLAN_OK)
        printf("on %g processes %.3g s, a new run between %.3g and %.3g\n", asked, at.value, at.low,
               at.high);
    if (portolan_model_write_xml(model, &xml, &err) != PORTOLAN_OK) {
        portolan_model_destroy(model);
        return fail("no XML", &err);
    }
    fputs(xml, stdout);
    free(xml);
    portolan_model_destroy(model);
    return EXIT_SUCCESS;
}
