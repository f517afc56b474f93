/* SPDX-License-Identifier: BSD-3-Clause */
/* Names to symbols: from the inside out, then the imported packages. */
#include "model.h"

#include <string.h>

static struct portolan_sidl_symbol *find_below(const struct portolan_sidl_model *model,
                                               const struct portolan_sidl_symbol *package,
                                               const char *name)
{
    const size_t length = strlen(package->full_name);
    char full[512];

    if (package == model->global)
        return symbol_find(model, name);
    if (length + strlen(name) + 2 > sizeof full)
        return NULL;
    memcpy(full, package->full_name, length);
    full[length] = '.';
    strcpy(full + length + 1, name);
    return symbol_find(model, full);
}

static struct portolan_sidl_symbol *look_up(const struct portolan_sidl_model *model,
                                            const struct pending *pending)
{
    const char *name = pending->type->name;
    struct portolan_sidl_symbol *found = NULL;

    if (*name == '.')
        return symbol_find(model, name + 1);
    for (const struct portolan_sidl_symbol *s = pending->scope; s && !found; s = s->package)
        found = find_below(model, s, name);
    for (size_t i = 0; i < pending->file->n_imports && !found; i++) {
        const struct import *import = &pending->file->imports[i];
        const struct portolan_sidl_symbol *package = symbol_find(model, import->name);

        if (import->is_import && package)
            found = find_below(model, package, name);
    }
    return found;
}

static void report_unresolved(struct portolan_sidl_model *model, const struct pending *pending,
                              struct portolan_diagnostics *d)
{
    static const char *const basic[] = {"bool",  "char",   "dcomplex", "double", "fcomplex",
                                        "float", "int",    "long",     "opaque", "string",
                                        "array", "rarray", "void"};
    const char *name = pending->type->name, *nearest;
    struct file *file = pending->file;

    for (size_t i = 0; i < file->n_unresolved; i++)
        if (strcmp(file->unresolved[i], name) == 0)
            return;
    ARENA_PUSH(&model->arena, file->unresolved, file->n_unresolved, name);
    nearest = portolan_nearest_word(name, basic, sizeof basic / sizeof *basic);
    if (!nearest)
        nearest = portolan_sidl_nearest(model, name);
    if (nearest)
        diagnose_at(d, &pending->type->place, "unknown type %s, did you mean %s?", name, nearest);
    else
        diagnose_at(d, &pending->type->place,
                    "unknown type %s, declare it or require the package that holds it", name);
}

void resolve_names(struct portolan_sidl_model *model, struct portolan_diagnostics *d)
{
    for (size_t i = 0; i < model->n_pending; i++) {
        struct portolan_sidl_type *type = model->pending[i].type;
        struct portolan_sidl_symbol *found = look_up(model, &model->pending[i]);

        if (!found) {
            report_unresolved(model, &model->pending[i], d);
            continue;
        }
        type->symbol = found;
        if (found->kind == PORTOLAN_SIDL_PACKAGE) {
            diagnose_at(d, &type->place, "%s is a package, expected a type", found->full_name);
            type->symbol = NULL;
        } else if (found->kind == PORTOLAN_SIDL_ENUMERATION) {
            type->kind = PORTOLAN_SIDL_ENUM;
        } else if (found->kind == PORTOLAN_SIDL_STRUCTURE) {
            type->kind = PORTOLAN_SIDL_STRUCT;
        }
    }
}
