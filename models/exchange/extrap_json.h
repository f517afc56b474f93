/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON read with the way to each value in mind, so that complaints say where it stands. */
#ifndef PORTOLAN_EXTRAP_JSON_H
#define PORTOLAN_EXTRAP_JSON_H

#include "extrap_internal.h"

#include <jansson.h>

enum { DEEPEST = 8 };

/* One step from a value to one inside it: a member's name, or a place in an array. */
struct step {
    const char *key;
    size_t index;
};

struct json_walk {
    struct collector *c;
    const char *text, *end;
    size_t first_line; /* of the text, from 1 */
    struct step way[DEEPEST];
    size_t depth;
};

/* Says what is wrong with the value that the way leads to; returns false. */
bool walk_complain(struct json_walk *r, const char *format, ...) PORTOLAN_PRINTF(2, 3);
/* One step further; R->depth is set back by the caller. */
bool walk_key(struct json_walk *r, const char *key);
bool walk_index(struct json_walk *r, size_t index);
/* The finite number that VALUE is, or false after a complaint. */
bool walk_number(struct json_walk *r, json_t *value, double *number);
/* The member KEY of OBJECT, and one step further; NULL after a complaint. */
json_t *walk_member(struct json_walk *r, json_t *object, const char *key);
json_t *walk_array(struct json_walk *r, json_t *object, const char *key);
/* The text that member KEY is; no step. */
const char *walk_text(struct json_walk *r, json_t *object, const char *key);
/* VALUE, the name of a new parameter. */
bool walk_param(struct json_walk *r, json_t *value);

bool extrap_read_ids(struct json_walk *r, json_t *root);

#endif
