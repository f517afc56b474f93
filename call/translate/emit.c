/* SPDX-License-Identifier: BSD-3-Clause */
/* FILE.cll.c and FILE.cll.h. */
#include "internal.h"

#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

const char *emit_program(struct translation *t)
{
    const char *name = base_name(t->options->file);

    return portolan_libclang_print(&t->arena, "%.*s", (int)(strlen(name) - 2), name);
}

const char *emit_quoted(struct translation *t, const char *text)
{
    struct portolan_text out = {.arena = &t->arena};

    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            portolan_text_add(&out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            portolan_text_add(&out, "\\%03o", (unsigned)*text);
        else
            portolan_text_add_bytes(&out, text, 1);
    return out.bytes ? out.bytes : "";
}

void emit_source(struct translation *t, struct portolan_text *out)
{
    portolan_text_add(out,
                      "/* Made by portolan call of %s: change that one. */\n"
                      "#include \"%s.cll.h\"\n"
                      "#line 1 \"%s\"\n",
                      base_name(t->options->file), emit_quoted(t, emit_program(t)),
                      emit_quoted(t, t->options->file));
    rewrite_apply(t, false, out);
    if (out->length && out->bytes[out->length - 1] != '\n')
        portolan_text_add(out, "\n");
}

/* ------------------------------------------------------------------ the header */

static void add_texts(struct translation *t, const char *symbol, const char *what,
                      const char *const *texts, size_t n, struct portolan_text *out)
{
    if (!n)
        return;
    portolan_text_add(out, "static const char *const %s_%s[] = {", symbol, what);
    for (size_t i = 0; i < n; i++)
        portolan_text_add(out, "%s\"%s\"", i ? ", " : "", emit_quoted(t, texts[i]));
    portolan_text_add(out, "};\n");
}

static void add_lines(struct translation *t, const struct experiment *e, bool ends,
                      struct portolan_text *out)
{
    portolan_text_add(out, "static const unsigned %s_%s[] = {", e->symbol,
                      ends ? "ends" : "begins");
    for (size_t i = 0; i < e->n_regions; i++)
        portolan_text_add(out, "%s%d", i ? ", " : "",
                          line_of(t, ends ? e->regions[i]->partner : e->regions[i]));
    portolan_text_add(out, "};\n");
}

static void add_lists(struct translation *t, const struct experiment *e, struct portolan_text *out)
{
    size_t n = e->formula ? portolan_formula_n_names(e->formula) : 0;
    const char **names = portolan_arena_alloc(&t->arena, n + 1, sizeof *names);

    for (size_t i = 0; names && i < n; i++)
        names[i] = portolan_formula_peek_name(e->formula, i);
    if (names)
        add_texts(t, e->symbol, "identifiers", names, n, out);
    add_texts(t, e->symbol, "observables", e->first->observables, e->first->n_observables, out);
    add_lines(t, e, false, out);
    add_lines(t, e, true, out);
}

static void add_experiment(struct translation *t, const struct experiment *e,
                           struct portolan_text *out)
{
    size_t n = e->formula ? portolan_formula_n_names(e->formula) : 0;

    portolan_text_add(out, "\n");
    add_lists(t, e, out);
    portolan_text_add(out,
                      "static struct portolan_cll_experiment %s = {\n"
                      "    .name = \"%s\",\n"
                      "    .file = \"%s\",\n",
                      e->symbol, e->name, emit_quoted(t, t->options->file));
    if (e->formula)
        portolan_text_add(out,
                          "    .formula = \"%s\",\n"
                          "    .n_constants = %u,\n",
                          emit_quoted(t, e->infix), e->n_constants);
    if (n)
        portolan_text_add(out,
                          "    .n_identifiers = %zu,\n"
                          "    .identifiers = %s_identifiers,\n",
                          n, e->symbol);
    if (e->first->n_observables)
        portolan_text_add(out,
                          "    .n_observables = %zu,\n"
                          "    .observables = %s_observables,\n",
                          e->first->n_observables, e->symbol);
    portolan_text_add(out,
                      "    .n_regions = %zu,\n"
                      "    .begin_lines = %s_begins,\n"
                      "    .end_lines = %s_ends,\n"
                      "};\n",
                      e->n_regions, e->symbol, e->symbol);
}

static void add_constructor(struct translation *t, struct portolan_text *out)
{
    const char *list = symbol_of(t, "experiments"), *function = symbol_of(t, "register");

    portolan_text_add(out, "\nstatic struct portolan_cll_experiment *const %s[] = {\n", list);
    for (const struct experiment *e = t->experiments; e; e = e->next)
        portolan_text_add(out, "    &%s,\n", e->symbol);
    portolan_text_add(out,
                      "};\n"
                      "\n"
                      "__attribute__((constructor)) static void %s(void)\n"
                      "{\n"
                      "    portolan_cll_register(%s, %zu);\n"
                      "}\n",
                      function, list, t->n_experiments);
}

void emit_header(struct translation *t, struct portolan_text *out)
{
    portolan_text_add(out,
                      "/* Made by portolan call of %s: the data of its experiments. */\n"
                      "#include <portolan/cll.h>\n",
                      base_name(t->options->file));
    for (const struct experiment *e = t->experiments; e; e = e->next)
        add_experiment(t, e, out);
    if (t->experiments)
        add_constructor(t, out);
}
