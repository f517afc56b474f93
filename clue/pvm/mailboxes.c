/* SPDX-License-Identifier: BSD-3-Clause */
/* Mailboxes: messages that the virtual machine keeps by name. */
#include "internal.h"

#include <fnmatch.h>

struct entry {
    struct entry *next; /* the next one by index, of the same name */
    int index, owner, flags;
    int encoding;
    size_t n;
    char *bytes;
};
struct mailbox {
    struct pvm_named named;
    struct entry *entries;
    int *waiting; /* tasks that wait for an entry */
    size_t n_waiting;
};

static struct mailbox *mailbox_of(const char *name, bool is_made)
{
    return pvm_named(&pvm_machine()->mailboxes, name, is_made ? sizeof(struct mailbox) : 0);
}

static void remove_entry(struct entry **at)
{
    struct entry *e = *at;

    *at = e->next;
    clue_unshare(e->bytes);
    clue_unshare(e);
}

/* Returns where the entry with INDEX is, or the first one at or after INDEX. */
static struct entry **place_of(struct mailbox *m, int index, bool is_first)
{
    struct entry **at = &m->entries;

    while (*at && (*at)->index < index)
        at = &(*at)->next;
    return *at && ((*at)->index == index || is_first) ? at : NULL;
}

void pvm_mailboxes_leave(int tid)
{
    for (struct pvm_named *m = pvm_machine()->mailboxes; m; m = m->next)
        for (struct entry **at = &((struct mailbox *)m)->entries; *at;)
            if ((*at)->owner == tid && !((*at)->flags & PvmMboxPersistent))
                remove_entry(at);
            else
                at = &(*at)->next;
}

/* ------------------------------------------------- putting */

/* Returns the least index that is free, and where it belongs. */
static int free_index(struct mailbox *m, struct entry ***at)
{
    int index = 0;

    for (*at = &m->entries; **at && (**at)->index == index; *at = &(**at)->next)
        index++;
    return index;
}

static int put(struct pvm_task *t, const char *name, struct pvm_buffer *b, int flags)
{
    struct mailbox *m;
    struct entry **at, *e;
    int index = 0;

    if (!name || !*name || !b)
        return name && *name ? PvmNoSuchBuf : PvmBadParam;
    clue_in_order();
    m = mailbox_of(name, true);
    at = &m->entries;
    if (*at && (flags & PvmMboxMultiInstance) && ((*at)->flags & PvmMboxMultiInstance)) {
        index = free_index(m, &at);
    } else if (*at) {
        if ((*at)->owner != t->tid && !((*at)->flags & PvmMboxOverWritable))
            return PvmDenied;
        index = (*at)->index;
        remove_entry(at);
    }
    if (!pvm_buffer_gather(b))
        return PvmNoMem;
    e = clue_share(sizeof *e);
    *e = (struct entry){*at, index, t->tid, flags, b->encoding, b->n, clue_share(b->n + 1)};
    if (b->n)
        memcpy(e->bytes, b->bytes, b->n);
    *at = e;
    for (size_t i = 0; i < m->n_waiting; i++)
        pvm_signal(m->waiting[i], PVM_CONTEXT_MAILBOXES, 0, true);
    m->n_waiting = 0;
    return index;
}

PVM_CALL(pvm_putinfo, (char *name, int id, int flags),
         put(pvm_self(), name, pvm_buffer_of(pvm_self(), id), flags))

/* ------------------------------------------------- taking */

static void await_entry(struct mailbox *m)
{
    m->waiting = pvm_share_more(m->waiting, m->n_waiting * sizeof *m->waiting, sizeof *m->waiting);
    m->waiting[m->n_waiting++] = clue_self();
    pvm_await(CLUE_ANY, PVM_CONTEXT_MAILBOXES, 0, true);
    clue_in_order();
}

static int receive_entry(struct pvm_task *t, struct entry **at, int flags)
{
    struct pvm_buffer *b = pvm_buffer_of_bytes(t, (*at)->encoding, (*at)->bytes, (*at)->n);

    if (!b)
        return PvmNoMem;
    b->source = (*at)->owner;
    if (flags & PvmMboxReadAndDelete)
        remove_entry(at);
    return pvm_buffer_receive(t, b->id);
}

static int take(struct pvm_task *t, const char *name, int index, int flags)
{
    for (;;) {
        struct mailbox *m = mailbox_of(name, (flags & PvmMboxWaitForInfo) != 0);
        struct entry **at = m ? place_of(m, index, (flags & PvmMboxFirstAvail) != 0) : NULL;

        if (at)
            return receive_entry(t, at, flags);
        if (!(flags & PvmMboxWaitForInfo))
            return PvmNotFound;
        await_entry(m);
    }
}

PORTOLAN_API int pvm_recvinfo(char *name, int index, int flags)
{
    int code;

    PVM_ENTER();
    if (!name || !*name || index < 0)
        return pvm_leave(PvmBadParam);
    clue_in_order();
    code = take(pvm_self(), name, index, flags);
    /* A missing entry is an answer, and no mistake. */
    pvm_leave(code == PvmNotFound ? PvmOk : code);
    return code;
}

PORTOLAN_API int pvm_delinfo(char *name, int index, int flags)
{
    struct mailbox *m;
    struct entry **at;

    (void)flags;
    PVM_ENTER();
    if (!name || !*name || index < 0)
        return pvm_leave(PvmBadParam);
    clue_in_order();
    m = mailbox_of(name, false);
    at = m ? place_of(m, index, false) : NULL;
    if (!at)
        return pvm_leave(PvmNotFound);
    if ((*at)->owner != pvm_self()->tid && !((*at)->flags & PvmMboxOverWritable))
        return pvm_leave(PvmDenied);
    remove_entry(at);
    return pvm_leave(PvmOk);
}

/* Frees the task's list of mailboxes, in which each has one block of indices, owners and flags. */
static void free_list(struct pvm_task *t)
{
    for (struct pvmmboxinfo *i = t->mailboxes; i && i->mi_name; i++)
        free(i->mi_indices);
    free(t->mailboxes);
    t->mailboxes = NULL;
}

static bool describe(const struct mailbox *m, struct pvmmboxinfo *info)
{
    int n = 0;

    for (const struct entry *e = m->entries; e; e = e->next)
        n++;
    *info = (struct pvmmboxinfo){m->named.name, n, malloc((size_t)n * 3 * sizeof(int)), NULL, NULL};
    if (!info->mi_indices)
        return false;
    info->mi_owners = info->mi_indices + n;
    info->mi_flags = info->mi_owners + n;
    n = 0;
    for (const struct entry *e = m->entries; e; e = e->next, n++) {
        info->mi_indices[n] = e->index;
        info->mi_owners[n] = e->owner;
        info->mi_flags[n] = e->flags;
    }
    return true;
}

PORTOLAN_API int pvm_getmboxinfo(char *pattern, int *n, struct pvmmboxinfo **infos)
{
    struct pvm_task *t = pvm_self();
    size_t n_all = 1, found = 0;
    struct pvm_named *first;

    PVM_ENTER();
    clue_in_order();
    free_list(t);
    first = pvm_machine()->mailboxes;
    for (struct pvm_named *m = first; m; m = m->next)
        n_all++;
    t->mailboxes = calloc(n_all, sizeof *t->mailboxes);
    for (struct pvm_named *m = t->mailboxes ? first : NULL; m; m = m->next)
        if (((struct mailbox *)m)->entries &&
            fnmatch(pattern && *pattern ? pattern : "*", m->name, 0) == 0 &&
            describe((struct mailbox *)m, &t->mailboxes[found]))
            found++;
    if (n)
        *n = (int)found;
    if (infos)
        *infos = t->mailboxes;
    return pvm_leave(t->mailboxes ? PvmOk : PvmNoMem);
}

/* ------------------------------------------------- as in PVM 3.3: a number by name */

PORTOLAN_API int pvm_insert(char *name, int wanted, int data)
{
    int id, code;

    (void)wanted;
    PVM_ENTER();
    code = id = pvm_buffer_with(pvm_self(), PvmDataDefault, &data, PVM_INT, 1);
    if (id > 0)
        code = pvm_putinfo(name, id, PvmMboxMultiInstance | PvmMboxOverWritable);
    pvm_buffer_free(pvm_self(), id);
    return pvm_leave(code);
}

PORTOLAN_API int pvm_lookup(char *name, int wanted, int *data)
{
    struct pvm_task *t = pvm_self();
    int active = t->receive_buffer, id;

    PVM_ENTER();
    t->receive_buffer = 0;
    id = pvm_recvinfo(name, wanted < 0 ? 0 : wanted, wanted < 0 ? PvmMboxFirstAvail : 0);
    if (id > 0 && data)
        pvm_unpack(data, PVM_INT, 1, 1);
    pvm_buffer_free(t, id);
    t->receive_buffer = active;
    return pvm_leave(id < 0 ? id : PvmOk);
}

PVM_VALUE(pvm_delete, (char *name, int wanted), pvm_delinfo(name, wanted, 0))
