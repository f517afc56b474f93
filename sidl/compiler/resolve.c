/* SPDX-License-Identifier: BSD-3-Clause */
/* Resolves names to symbols: in the packages around, from the inside out, then in imported ones. */
#include "parser.h"

#include <string.h>

/* Looks in the packages around the name, then in those its file imports, then as a full name. */
static struct portolan_sidl_symbol *look_up(struct portolan_sidl_model *model,
                                            const struct pending *pending)
{
    const char *name = pending->type->name;
    struct portolan_sidl_symbol *found = NULL;

    if (*name == '.')
        return symbol_find(model, name + 1);
    for (const struct portolan_sidl_symbol *s = pending->scope; s != model->global && s && !found;
         s = s->package)
        found = symbol_child(model, s, name);
    for (size_t i = 0; i < pending->file->n_imports && !found; i++) {
        const struct import *import = &pending->file->imports[i];
        const struct portolan_sidl_symbol *package =
            import->is_import ? symbol_find(model, import->name) : NULL;

        if (package)
            found = symbol_child(model, package, name);
    }
    return found ? found : symbol_find(model, name);
}

/* Returns whether NAME may have been declared in unreadable text. */
static bool may_be_lost(const struct portolan_sidl_model *model, const struct file *file,
                        const char *name)
{
    if (model->is_all_lost || file->hides_names)
        return true;
    while (*name) {
        const size_t length = strcspn(name, ".");

        if (names_find(&model->lost, name, length))
            return true;
        name += length + (name[length] == '.');
    }
    return false;
}

/* Types of the built-in specifications that a file may have forgotten to import */

struct around {
    const char *full_name;
    int depth; /* of the braces in it */
};

/* Notes the names of the types in SPEC, without adding them to the model. */
static void note_types(struct portolan_sidl_model *model, const struct builtin_spec *spec)
{
    const struct tokens tokens =
        lexer_read(&model->scratch, &model->scratch, spec->file, spec->text, spec->size, NULL);
    struct around stack[MAX_DEPTH] = {{"", 0}};
    size_t n = 1;
    int depth = 0;

    for (const struct token *t = tokens.list; t->kind != TOKEN_END; t++) {
        const bool is_package = token_is(t, "package");
        const char *name;

        depth += token_is(t, "{") - token_is(t, "}");
        if (token_is(t, "}") && depth < stack[n - 1].depth)
            n--;
        if (!is_package && !token_is(t, "interface") && !token_is(t, "class") &&
            !token_is(t, "enum") && !token_is(t, "struct"))
            continue;
        name = portolan_arena_printf(&model->arena, "%s%s%s", stack[n - 1].full_name,
                                     n > 1 ? "." : "", t[1].text);
        if (is_package && n < MAX_DEPTH)
            stack[n++] = (struct around){name, depth + 1};
        else
            *names_add(&model->specified, t[1].text, strlen(t[1].text)) = name;
    }
}

/* The full name of the built-in type NAME; NULL: none. */
static const char *suggest_specified(struct portolan_sidl_model *model, const char *name)
{
    if (!model->specified.table) {
        for (size_t i = 0; i < n_builtin_specs; i++)
            note_types(model, &builtin_specs[i]);
        portolan_arena_clear(&model->scratch);
    }
    return names_find(&model->specified, name, strlen(name));
}

/* The basic type that other languages call NAME, or that is nearest to it; NULL: none. */
static const char *basic_type(const char *name)
{
    static const char *const others[][2] = {{"boolean", "bool"}, {"integer", "int"},
                                            {"real", "double"},  {"complex", "dcomplex"},
                                            {"char8", "char"},   {"octet", "char"},
                                            {"size_t", "long"},  {"int32_t", "int"},
                                            {"int64_t", "long"}, {"any", "opaque"},
                                            {"str", "string"},   {"String", "string"},
                                            {"vector", "array"}, {"Object", "sidl.BaseInterface"}};
    static const char *const basic[] = {"bool",  "char",   "dcomplex", "double", "fcomplex",
                                        "float", "int",    "long",     "opaque", "string",
                                        "array", "rarray", "void"};
    const char *nearest;

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i][0]) == 0)
            return others[i][1];
    nearest = portolan_nearest_word(name, basic, sizeof basic / sizeof *basic);
    return nearest && *nearest == *name ? nearest
                                        : NULL; /* with another first letter it is too uncertain */
}

static void report_unresolved(struct portolan_sidl_model *model, const struct pending *pending,
                              struct portolan_diagnostics *d)
{
    const char *name = pending->type->name, *nearest;
    const void **reported;

    if (may_be_lost(model, pending->file, name))
        return;
    reported = names_add(&pending->file->unresolved, name, strlen(name));
    if (*reported)
        return;
    *reported = name;
    nearest = suggest_specified(model, name);
    if (!nearest)
        nearest = basic_type(name);
    if (!nearest)
        nearest = portolan_sidl_nearest(model, name);
    if (strncmp(name, "SIDL.", 5) == 0)
        diagnose_at(d, &pending->type->place,
                    "unknown type %s: the package is named sidl (SIDL only in SIDL 0.x)", name);
    else if (nearest)
        diagnose_at(d, &pending->type->place, "unknown type %s%s", name,
                    portolan_did_you_mean(nearest).text);
    else
        diagnose_at(d, &pending->type->place, "unknown type %s; declare it or require its package",
                    name);
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
            diagnose_at(d, &type->place, "%s is a package, but a type is expected",
                        found->full_name);
            type->symbol = NULL;
        } else if (found->kind == PORTOLAN_SIDL_ENUMERATION) {
            type->kind = PORTOLAN_SIDL_ENUM;
        } else if (found->kind == PORTOLAN_SIDL_STRUCTURE) {
            type->kind = PORTOLAN_SIDL_STRUCT;
        }
    }
}
