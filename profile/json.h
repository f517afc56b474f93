/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing JSON: commas and escapes are taken care of, numbers are whole, NaN is null. */
#ifndef PORTOLAN_PROFILE_JSON_H
#define PORTOLAN_PROFILE_JSON_H

#include <portolan/base.h>
#include <portolan/store.h>

struct json {
    struct portolan_text *out;
    bool is_first; /* nothing stands in the open object or array */
    int depth;
};

/* KEY is NULL inside arrays and at the top. */
void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j, char bracket);
void json_text(struct json *j, const char *key, const char *text); /* NULL: null */
void json_number(struct json *j, const char *key, double x);
void json_bool(struct json *j, const char *key, bool x);
void json_pairs(struct json *j, const char *key, const struct portolan_name_value *pairs, size_t n);

/* What all documents of this room begin with, and a trial in them. */
void profile_json_begin(struct json *j, const char *form);
void profile_json_trial(struct json *j, const char *key, const struct portolan_trial *t);

#endif
