/* SPDX-License-Identifier: BSD-3-Clause */
#include "models.h"

#include <stdlib.h>
#include <string.h>

#include <portolan/probe.h>

enum { CELLS = 8 };

/* ------------------------------------------------------------------ heat */

struct heat {
    double time, step;
    double temperature[CELLS];
};

static int heat_initialize(Bmi *self, const char *file)
{
    struct heat *h = calloc(1, sizeof *h);

    if (!h)
        return BMI_FAILURE;
    h->step = strcmp(file, "fine") == 0 ? 0.5 : 1;
    h->temperature[0] = 100;
    self->data = h;
    return BMI_SUCCESS;
}

static int heat_update(Bmi *self)
{
    struct heat *h = self->data;
    double old[CELLS];

    portolan_probe_clock_advance(10);
    memcpy(old, h->temperature, sizeof old);
    for (int i = 1; i < CELLS - 1; i++)
        h->temperature[i] += 0.25 * h->step * (old[i - 1] - 2 * old[i] + old[i + 1]);
    h->time += h->step;
    return BMI_SUCCESS;
}

/* Implementations call themselves through their own struct; that is not measured. */
static int heat_update_until(Bmi *self, double then)
{
    while (((struct heat *)self->data)->time < then)
        self->update(self);
    return BMI_SUCCESS;
}

static int heat_finalize(Bmi *self)
{
    free(self->data);
    self->data = NULL;
    return BMI_SUCCESS;
}

static int heat_name(Bmi *self, char *name)
{
    (void)self;
    strcpy(name, "heat");
    return BMI_SUCCESS;
}

static int heat_time(Bmi *self, double *time)
{
    *time = ((struct heat *)self->data)->time;
    return BMI_SUCCESS;
}

static int heat_value(Bmi *self, const char *name, void *to)
{
    (void)name;
    memcpy(to, ((struct heat *)self->data)->temperature, sizeof(double[CELLS]));
    return BMI_SUCCESS;
}

static int heat_value_ptr(Bmi *self, const char *name, void **to)
{
    (void)name;
    *to = ((struct heat *)self->data)->temperature;
    return BMI_SUCCESS;
}

static int heat_value_at(Bmi *self, const char *name, void *to, int *indices, int count)
{
    (void)name;
    for (int i = 0; i < count; i++)
        ((double *)to)[i] = ((struct heat *)self->data)->temperature[indices[i]];
    return BMI_SUCCESS;
}

Bmi *model_heat_create(void)
{
    Bmi *model = calloc(1, sizeof *model);

    if (model)
        *model = (Bmi){.initialize = heat_initialize,
                       .update = heat_update,
                       .update_until = heat_update_until,
                       .finalize = heat_finalize,
                       .get_component_name = heat_name,
                       .get_current_time = heat_time,
                       .get_value = heat_value,
                       .get_value_ptr = heat_value_ptr,
                       .get_value_at_indices = heat_value_at};
    return model;
}

/* ------------------------------------------------------------------ counter */

/* Larger than the interface shows: the count is behind it. */
struct counter {
    Bmi base;
    int count;
};

static int counter_initialize(Bmi *self, const char *file)
{
    ((struct counter *)self)->count = atoi(file);
    self->data = &((struct counter *)self)->count;
    return BMI_SUCCESS;
}

static int counter_update(Bmi *self)
{
    portolan_probe_clock_advance(3);
    ((struct counter *)self)->count++;
    return BMI_SUCCESS;
}

static int counter_value(Bmi *self, const char *name, void *to)
{
    (void)name;
    *(int *)to = ((struct counter *)self)->count;
    return BMI_SUCCESS;
}

Bmi *model_counter_create(void)
{
    struct counter *model = calloc(1, sizeof *model);

    if (!model)
        return NULL;
    model->base.initialize = counter_initialize;
    model->base.update = counter_update;
    model->base.get_value = counter_value;
    return &model->base;
}
