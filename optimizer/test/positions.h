/* SPDX-License-Identifier: BSD-3-Clause */
/* Selections of an assembly by names, for tests and benchmarks. */
#ifndef PORTOLAN_TEST_POSITIONS_H
#define PORTOLAN_TEST_POSITIONS_H

#include <portolan/optimizer.h>
#include <string.h>

/* The alternatives in LIST, and the first ones of other instances: lent until eight calls later. */
static inline const int32_t *positions(const struct portolan_assembly *a,
                                       const struct portolan_name_value *list, size_t n)
{
    static int32_t lent[8][16];
    static size_t calls;
    int32_t *x = memset(lent[calls++ % 8], 0, sizeof *lent);

    for (size_t i = 0; i < a->n_instances; i++)
        for (size_t k = 0; k < a->instances[i].n_alternatives; k++)
            for (size_t j = 0; j < n; j++)
                if (!strcmp(a->instances[i].name, list[j].name) &&
                    !strcmp(a->instances[i].alternatives[k].class_name, list[j].value))
                    x[i] = (int32_t)k;
    return x;
}

/* The text of a plan's choice, which the caller frees; NULL: there is none. */
static inline char *choice_text(struct portolan_plan *p)
{
    const struct portolan_plan_answer *answer;
    struct portolan_text out = {0};
    char *text = NULL;

    if (portolan_plan_choose(p, &answer, NULL))
        return NULL;
    portolan_answer_write_text(answer, &out);
    portolan_text_take(&out, &text, NULL);
    return text;
}

#endif
