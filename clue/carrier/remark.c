/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects what the end of a run reports: each text once for each place of the program. */
#include "internal.h"

#include <portolan/list.h>

#include <stdlib.h>
#include <string.h>

void clue_remark(bool is_mistake, const char *text, const struct rank *rank, const void *site)
{
    struct carrier *c = &clue_carrier;
    struct clue_remark remark = {.is_mistake = is_mistake, .n = 1};
    char *where = site ? clue_where(rank, site) : NULL;

    for (size_t i = 0; i < c->n_remarks; i++) {
        struct clue_remark *r = &c->remarks[i];

        if (r->is_mistake == is_mistake && strcmp(r->text, text) == 0 &&
            strcmp(r->where ? r->where : "", where ? where : "") == 0) {
            r->n++;
            free(where);
            return;
        }
    }
    remark.text = portolan_strdup(text);
    remark.where = where;
    if (!remark.text || !portolan_append(&c->remarks, &c->n_remarks, &remark, sizeof remark)) {
        free(remark.text);
        free(where);
    }
}
