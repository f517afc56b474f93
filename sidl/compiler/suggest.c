/* SPDX-License-Identifier: BSD-3-Clause */
/* Types of the built-in specifications that a file may have forgotten to import. */
#include "lexer.h"
#include "model.h"

#include <string.h>

struct around {
    const char *full_name;
    int depth; /* of the braces in it */
};

/* Only the names: nothing of it becomes part of the model. */
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

const char *suggest_specified(struct portolan_sidl_model *model, const char *name)
{
    if (!model->specified.table) {
        for (size_t i = 0; i < n_builtin_specs; i++)
            note_types(model, &builtin_specs[i]);
        portolan_arena_clear(&model->scratch);
    }
    return names_find(&model->specified, name, strlen(name));
}
