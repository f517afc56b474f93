/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * conformance [GROUP…]    runs the tests of these groups, all without arguments
 * conformance --list      prints a table: each sentence with its test
 */
#include "world.h"

#define GROUPS(X)                                                                                  \
    X(typemap)                                                                                     \
    X(services)                                                                                    \
    X(ports)                                                                                       \
    X(component)                                                                                   \
    X(abstract)                                                                                    \
    X(builder)                                                                                     \
    X(connections)                                                                                 \
    X(events)                                                                                      \
    X(registry)                                                                                    \
    X(parameters)                                                                                  \
    X(factory)

#define DECLARE(NAME) extern const struct conformance_group conformance_##NAME;
GROUPS(DECLARE)
#define ENTRY(NAME) &conformance_##NAME,
static const struct conformance_group *const own[] = {GROUPS(ENTRY)};
enum { OWN = sizeof own / sizeof *own };

static const struct conformance_group *group(size_t i)
{
    return i < OWN ? own[i] : conformance_extras.groups[i - OWN];
}

static const char *shown(const char *id, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s", id);
    for (char *c = buffer; *c; c++)
        if (*c == '_')
            *c = '-';
    return buffer;
}

static void list(const struct conformance_group *g)
{
    char id[20];

    printf("\n## %s\n\nGroup `%s`.\n\n| sentence | what it says | test |\n|---|---|---|\n",
           g->title, g->name);
    for (size_t i = 0; i < g->n_sentences; i++) {
        const struct conformance_sentence *s = &g->sentences[i];

        shown(s->id, id, sizeof id);
        if (s->test)
            printf("| %s | %s | `%s` |\n", id, s->text, s->id);
        else if (s->where)
            printf("| %s | %s | elsewhere: `%s` |\n", id, s->text, s->where);
        else
            printf("| %s | %s | not covered: %s |\n", id, s->text, s->why_not);
    }
}

static void run_sentence(void **state)
{
    struct world *w = *state;

    w->sentence->test(w);
}

/* cmocka's tests, named by their sentences; skips those that are not covered. */
static int run(const struct conformance_group *g)
{
    struct CMUnitTest *tests = calloc(g->n_sentences + 1, sizeof *tests);
    size_t n = 0;
    int failed;

    for (size_t i = 0; tests && i < g->n_sentences; i++) {
        const struct conformance_sentence *s = &g->sentences[i];
        char id[20], *name = malloc(strlen(s->text) + 30);

        if (!s->test || !name) {
            free(name);
            continue;
        }
        sprintf(name, "%s %s", shown(s->id, id, sizeof id), s->text);
        tests[n++] = (struct CMUnitTest){.name = name,
                                         .test_func = run_sentence,
                                         .setup_func = world_setup,
                                         .teardown_func = world_teardown,
                                         .initial_state = (void *)(uintptr_t)s};
    }
    failed = _cmocka_run_group_tests(g->name, tests, n, NULL, NULL);
    for (size_t i = 0; i < n; i++)
        free((void *)(uintptr_t)tests[i].name);
    free(tests);
    return failed;
}

int main(int argc, char **argv)
{
    size_t n = OWN + conformance_extras.n_groups;
    int failed = 0;

    for (size_t i = 0; i < n; i++) {
        bool wanted = argc < 2;

        if (argc > 1 && !strcmp(argv[1], "--list")) {
            list(group(i));
            continue;
        }
        for (int k = 1; k < argc; k++)
            wanted |= !strcmp(argv[k], group(i)->name);
        if (wanted)
            failed += run(group(i));
    }
    return failed != 0;
}
