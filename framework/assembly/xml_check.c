/* SPDX-License-Identifier: BSD-3-Clause */
/* The checker of a tree against rules: misspelt words with the nearest known one. */
#include "xml.h"

#include <string.h>

enum { WORDS_MAX = 32 };

struct words {
    const char *word[WORDS_MAX];
    size_t count;
};

struct checker {
    const char *file;
    struct portolan_diagnostics *d;
};

static void words_add(struct words *w, const char *const *list)
{
    for (; list && *list && w->count < WORDS_MAX; list++)
        w->word[w->count++] = *list;
}

static bool words_hold(const struct words *w, const char *word)
{
    for (size_t i = 0; i < w->count; i++)
        if (!strcmp(w->word[i], word))
            return true;
    return false;
}

static void unknown_attribute(struct checker *c, const struct xml_element *e,
                              const struct xml_attribute *a, const struct words *known)
{
    const char *near = portolan_nearest_word(a->name, known->word, known->count);

    if (near)
        portolan_diagnose(c->d, c->file, a->line, a->column,
                          "unknown attribute '%s' in <%s>; did you mean '%s'?", a->name, e->name,
                          near);
    else if (known->count)
        portolan_diagnose(c->d, c->file, a->line, a->column, "unknown attribute '%s' in <%s>",
                          a->name, e->name);
    else
        portolan_diagnose(c->d, c->file, a->line, a->column,
                          "unknown attribute '%s': <%s> has no attributes", a->name, e->name);
}

static void check_attributes(struct checker *c, const struct xml_element *e,
                             const struct xml_rule *rule)
{
    struct words known = {0};

    words_add(&known, rule->required);
    words_add(&known, rule->optional);
    for (size_t i = 0; i < e->n_attributes; i++)
        if (!words_hold(&known, e->attributes[i].name))
            unknown_attribute(c, e, &e->attributes[i], &known);
    for (const char *const *name = rule->required; name && *name; name++)
        if (!xml_attribute(e, *name))
            portolan_diagnose(c->d, c->file, e->line, e->column, "<%s> lacks the attribute '%s'",
                              e->name, *name);
}

static const struct xml_rule *rule_of_child(const struct xml_rule *rule, const char *name)
{
    for (const struct xml_rule *const *r = rule->children; r && *r; r++)
        if (!strcmp((*r)->name, name))
            return *r;
    return NULL;
}

static void unknown_element(struct checker *c, const struct xml_element *e,
                            const struct xml_rule *parent)
{
    struct words known = {0};
    const char *near;

    for (const struct xml_rule *const *r = parent->children; r && *r && known.count < WORDS_MAX;
         r++)
        known.word[known.count++] = (*r)->name;
    near = portolan_nearest_word(e->name, known.word, known.count);
    portolan_diagnose(c->d, c->file, e->line, e->column, "unknown element '%s' in <%s>%s", e->name,
                      parent->name, portolan_did_you_mean(near).text);
}

static void check_element(struct checker *c, const struct xml_element *e,
                          const struct xml_rule *rule)
{
    check_attributes(c, e, rule);
    if (e->text_line && (!rule->text || e->children))
        portolan_diagnose(c->d, c->file, e->text_line, 0, "text is not allowed inside <%s>",
                          e->name);
    for (const struct xml_element *child = e->children; child; child = child->next) {
        const struct xml_rule *r = rule_of_child(rule, child->name);

        if (!r) {
            unknown_element(c, child, rule);
            continue;
        }
        if (r->once && xml_next(e, NULL, child->name) != child)
            portolan_diagnose(c->d, c->file, child->line, child->column,
                              "second <%s> in <%s>; the first is on line %d", child->name, e->name,
                              xml_next(e, NULL, child->name)->line);
        check_element(c, child, r);
    }
}

void xml_check(const struct xml_element *root, const struct xml_rule *rule, const char *file,
               struct portolan_diagnostics *d)
{
    struct checker c = {file, d};

    if (strcmp(root->name, rule->name))
        portolan_diagnose(d, file, root->line, root->column,
                          "the outermost element is '%s'; it must be '%s'", root->name, rule->name);
    else
        check_element(&c, root, rule);
}
