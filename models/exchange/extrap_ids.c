/* SPDX-License-Identifier: BSD-3-Clause */
/* Extra-P's older JSON: tables of things with ids, which measurements refer to. */
#include "extrap_json.h"

#include <stdlib.h>

struct entry {
    double id;
    size_t index; /* in its array */
    json_t *value;
};

struct table {
    size_t n;
    struct entry *entries; /* ascending by id */
};

static int by_id(const void *a, const void *b)
{
    double i = ((const struct entry *)a)->id, j = ((const struct entry *)b)->id;

    return (i > j) - (i < j);
}

static bool read_table(struct json_walk *r, json_t *root, const char *key, struct table *table)
{
    json_t *array, *value;
    size_t i;

    r->depth = 0;
    if (!(array = walk_array(r, root, key)))
        return false;
    table->entries = portolan_calloc(json_array_size(array) + 1, sizeof *table->entries);
    if (!table->entries) {
        collector_no_memory(r->c);
        return false;
    }
    json_array_foreach(array, i, value)
    {
        struct entry *entry = &table->entries[table->n++];
        json_t *id;

        walk_index(r, i);
        if (!(id = walk_member(r, value, "id")) || !walk_number(r, id, &entry->id))
            return false;
        entry->index = i;
        entry->value = value;
        r->depth -= 2;
    }
    qsort(table->entries, table->n, sizeof *table->entries, by_id);
    for (i = 1; i < table->n; i++)
        if (table->entries[i].id == table->entries[i - 1].id) {
            walk_index(r, table->entries[i].index);
            return walk_complain(r, "two of \"%s\" have the id %g", key, table->entries[i].id);
        }
    return true;
}

/* The entry that the member KEY of OBJECT refers to. */
static const struct entry *referred(struct json_walk *r, json_t *object, const char *key,
                                    const struct table *table)
{
    struct entry wanted = {0};
    const struct entry *found;
    json_t *id = walk_member(r, object, key);

    if (!id || !walk_number(r, id, &wanted.id))
        return NULL;
    found = table->n ? bsearch(&wanted, table->entries, table->n, sizeof wanted, by_id) : NULL;
    if (!found)
        walk_complain(r, "there is nothing with this id");
    r->depth--;
    return found;
}

struct legacy {
    struct table params, paths, metrics, coordinates;
    double *x; /* of the coordinates, by their place in the table */
};

static bool read_coordinate(struct json_walk *r, const struct legacy *l, const struct entry *entry,
                            double *x)
{
    size_t i, n = r->c->m->n_params;
    json_t *pairs, *pair, *value;
    unsigned seen = 0;

    r->depth = 0;
    walk_key(r, "coordinates");
    walk_index(r, entry->index);
    if (!(pairs = walk_array(r, entry->value, "parameter_value_pairs")))
        return false;
    json_array_foreach(pairs, i, pair)
    {
        const struct entry *param;

        walk_index(r, i);
        if (!(param = referred(r, pair, "parameter_id", &l->params)) ||
            !(value = walk_member(r, pair, "parameter_value")) ||
            !walk_number(r, value, &x[param - l->params.entries]))
            return false;
        seen |= 1u << (param - l->params.entries);
        r->depth -= 2;
    }
    if (json_array_size(pairs) == n && seen == (1u << n) - 1)
        return true;
    return walk_complain(r, "a coordinate has one value for each of the %zu parameters", n);
}

static bool read_values(struct json_walk *r, json_t *root, const struct legacy *l)
{
    json_t *array, *value, *number;
    size_t i, n = r->c->m->n_params;
    double y = 0;

    r->depth = 0;
    if (!(array = walk_array(r, root, "measurements")))
        return false;
    json_array_foreach(array, i, value)
    {
        const struct entry *path, *metric, *coordinate;

        walk_index(r, i);
        if (!(path = referred(r, value, "callpath_id", &l->paths)) ||
            !(metric = referred(r, value, "metric_id", &l->metrics)) ||
            !(coordinate = referred(r, value, "coordinate_id", &l->coordinates)) ||
            !(number = walk_member(r, value, "value")) || !walk_number(r, number, &y) ||
            !collector_add_row(
                r->c,
                collector_find(r->c, json_string_value(json_object_get(path->value, "name")),
                               json_string_value(json_object_get(metric->value, "name"))),
                l->x + (size_t)(coordinate - l->coordinates.entries) * n, y))
            return false;
        r->depth -= 2;
    }
    return true;
}

/* All of them have a name. */
static bool read_names(struct json_walk *r, const char *key, const struct table *table, bool params)
{
    for (size_t i = 0; i < table->n; i++) {
        const struct entry *entry = &table->entries[i];

        r->depth = 0;
        walk_key(r, key);
        walk_index(r, entry->index);
        if (!walk_text(r, entry->value, "name"))
            return false;
        walk_key(r, "name");
        if (params && !walk_param(r, json_object_get(entry->value, "name")))
            return false;
    }
    return true;
}

bool extrap_read_ids(struct json_walk *r, json_t *root)
{
    struct legacy l = {.x = NULL};
    bool good =
        read_table(r, root, "parameters", &l.params) &&
        read_names(r, "parameters", &l.params, true) &&
        read_table(r, root, "callpaths", &l.paths) && read_names(r, "callpaths", &l.paths, false) &&
        read_table(r, root, "metrics", &l.metrics) && read_names(r, "metrics", &l.metrics, false) &&
        read_table(r, root, "coordinates", &l.coordinates);

    if (good && !r->c->m->n_params) {
        r->depth = 0;
        good = walk_complain(r, "a parameter is missing");
    }
    if (good && !(l.x = portolan_calloc(l.coordinates.n + 1, r->c->m->n_params * sizeof *l.x))) {
        collector_no_memory(r->c);
        good = false;
    }
    for (size_t i = 0; good && i < l.coordinates.n; i++)
        good = read_coordinate(r, &l, &l.coordinates.entries[i], l.x + i * r->c->m->n_params);
    good = good && read_values(r, root, &l);
    free(l.params.entries);
    free(l.paths.entries);
    free(l.metrics.entries);
    free(l.coordinates.entries);
    free(l.x);
    return good;
}
