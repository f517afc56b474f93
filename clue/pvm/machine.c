/* SPDX-License-Identifier: BSD-3-Clause */
/* The virtual machine: what tasks know of each other, in memory that all share. */
#include "internal.h"

struct routine {
    struct pvm_named named;
    uint32_t number; /* counts from 1 */
};

struct pvm_machine *pvm_machine(void)
{
    void **root = clue_shared(CLUE_PVM);

    if (!*root)
        *root = clue_share(sizeof(struct pvm_machine));
    return *root;
}

void *pvm_share_more(void *old, size_t bytes, size_t more)
{
    void *grown = clue_share(bytes + more);

    if (bytes)
        memcpy(grown, old, bytes);
    clue_unshare(old);
    return grown;
}

char *pvm_share_text(const char *text)
{
    return strcpy(clue_share(strlen(text) + 1), text);
}

void *pvm_named(struct pvm_named **first, const char *name, size_t bytes)
{
    struct pvm_named *n = *first;

    while (n && strcmp(n->name, name) != 0)
        n = n->next;
    if (n || !bytes)
        return n;
    n = clue_share(bytes);
    n->name = pvm_share_text(name);
    n->next = *first;
    return *first = n;
}

/* Numbers functions in the order in which any task first calls them. */
uint32_t pvm_routine_number(const char *name)
{
    struct pvm_machine *m = pvm_machine();
    struct routine *r = pvm_named(&m->routines, name, sizeof *r);

    if (!r->number)
        r->number = ++m->n_routines;
    return r->number - 1;
}

struct pvm_known *pvm_known(int task)
{
    enum { MORE = 64 };
    struct pvm_machine *m = pvm_machine();
    int n = task + MORE;

    if (task >= m->n_known) {
        m->known = pvm_share_more(m->known, (size_t)m->n_known * sizeof *m->known,
                                  (size_t)(n - m->n_known) * sizeof *m->known);
        m->n_known = n;
    }
    return &m->known[task];
}
