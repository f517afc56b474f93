/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A driver of a model behind the Basic Model Interface: bmi. It steps two heat rods, couples
 * their ends, looks into them through get_value_ptr, and prints what comes out. The rods leave most
 * of the grid's functions NULL, allocate `data` in initialize and free it in finalize. With
 * -DPROXY=HEADER the driver gets proxies.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bmi.h"

#ifdef PROXY
#include PROXY
#endif

enum { N = 64 };

struct rod {
    double time, temperature[N], next[N];
};

static int initialize(Bmi *self, const char *config_file)
{
    struct rod *rod = calloc(1, sizeof *rod);

    if (!rod)
        return BMI_FAILURE;
    for (int i = 0; i < N; i++)
        rod->temperature[i] = (double)strlen(config_file) + i % 3;
    self->data = rod;
    return BMI_SUCCESS;
}

static int update(Bmi *self)
{
    struct rod *rod = self->data;

    memcpy(rod->next, rod->temperature, sizeof rod->next);
    for (int i = 1; i < N - 1; i++)
        rod->next[i] +=
            0.25 * (rod->temperature[i - 1] - 2 * rod->temperature[i] + rod->temperature[i + 1]);
    memcpy(rod->temperature, rod->next, sizeof rod->next);
    rod->time += 0.5;
    return BMI_SUCCESS;
}

static int update_until(Bmi *self, double then)
{
    struct rod *rod = self->data;

    while (rod->time < then) /* through the table: the port calls itself */
        if (self->update(self) != BMI_SUCCESS)
            return BMI_FAILURE;
    return BMI_SUCCESS;
}

static int finalize(Bmi *self)
{
    free(self->data);
    self->data = NULL;
    return BMI_SUCCESS;
}

static int get_component_name(Bmi *self, char *name)
{
    (void)self;
    return snprintf(name, BMI_MAX_COMPONENT_NAME, "rod") < 0;
}

static int get_current_time(Bmi *self, double *time)
{
    *time = ((const struct rod *)self->data)->time;
    return BMI_SUCCESS;
}

static int get_value_ptr(Bmi *self, const char *name, void **dest_ptr)
{
    if (strcmp(name, "temperature") != 0)
        return BMI_FAILURE;
    *dest_ptr = ((struct rod *)self->data)->temperature;
    return BMI_SUCCESS;
}

static int set_value_at_indices(Bmi *self, const char *name, int *inds, int count, void *src)
{
    struct rod *rod = self->data;

    if (strcmp(name, "temperature") != 0)
        return BMI_FAILURE;
    for (int i = 0; i < count; i++)
        rod->temperature[inds[i]] = ((const double *)src)[i];
    return BMI_SUCCESS;
}

static void register_rod(Bmi *model)
{
    *model = (Bmi){.initialize = initialize,
                   .update = update,
                   .update_until = update_until,
                   .finalize = finalize,
                   .get_component_name = get_component_name,
                   .get_current_time = get_current_time,
                   .get_value_ptr = get_value_ptr,
                   .set_value_at_indices = set_value_at_indices};
}

static Bmi *watch(Bmi *model, const char *name)
{
    Bmi *face = model;

#ifdef PROXY
    face = BmiProxy_wrap(model, name);
    if (!face)
        fprintf(stderr, "bmi: %s\n", portolan_proxy_wrap_error());
#else
    (void)name;
#endif
    return face;
}

/* The end of one rod is the beginning of the other. */
static int couple(Bmi *from, Bmi *to)
{
    int first[] = {0};
    void *values;

    return from->get_value_ptr(from, "temperature", &values) ||
           to->set_value_at_indices(to, "temperature", first, 1, (double *)values + N - 1);
}

static int print_state(Bmi *model)
{
    char name[BMI_MAX_COMPONENT_NAME];
    double time, sum = 0;
    void *values;

    if (model->get_component_name(model, name) || model->get_current_time(model, &time) ||
        model->get_value_ptr(model, "temperature", &values))
        return BMI_FAILURE;
    for (int i = 0; i < N; i++)
        sum += ((double *)values)[i] * (i + 1);
    printf("%s at %g: %.17g, grid functions %s\n", name, time, sum,
           model->get_grid_x || model->get_var_units ? "there" : "NULL");
    return BMI_SUCCESS;
}

int main(void)
{
    Bmi model[2], *rod[2];
    int bad = 0;

    for (int i = 0; i < 2; i++) {
        register_rod(&model[i]);
        rod[i] = watch(&model[i], i ? "second" : "first");
        if (!rod[i])
            return 1;
        bad |= rod[i]->initialize(rod[i], i ? "long configuration" : "short");
        bad |= !rod[i]->data; /* users see the data that the model made */
    }
    for (int step = 0; step < 500; step++)
        bad |= rod[0]->update(rod[0]) | couple(rod[0], rod[1]) | rod[1]->update(rod[1]) |
               couple(rod[1], rod[0]);
    bad |= rod[1]->update_until(rod[1], 300);
    for (int i = 0; i < 2; i++)
        bad |= print_state(rod[i]) | rod[i]->finalize(rod[i]);
    return bad;
}
