/* SPDX-License-Identifier: BSD-3-Clause */
/* Proxies for lists of functions, of which each has functions of its own. */
#include "proxy_internal.h"

static int take_slot(struct portolan_proxy **slots, int count, struct portolan_proxy *proxy)
{
    for (int i = 0; i < count; i++) {
        struct portolan_proxy *nobody = NULL;

        if (__atomic_compare_exchange_n(&slots[i], &nobody, proxy, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
            return i + 1;
    }
    return 0;
}

gov_cca_Component portolan_proxy_create_in_slot(
    const struct sidl_class *cls, const struct portolan_proxy_description *description,
    struct portolan_proxy **slots, int count, size_t offset, sidl_BaseInterface *_ex)
{
    gov_cca_Component component = portolan_proxy_create(cls, description, _ex);
    int slot;

    if (!component)
        return NULL;
    slot = take_slot(slots, count, component->d_object);
    memcpy((char *)component->d_object + offset, &slot, sizeof slot);
    if (slot > 0)
        return component;
    portolan_throw(_ex, PORTOLAN_EUNSUPPORTED,
                   "%s was compiled for %d proxies in one process, and there are as many; compile "
                   "it with -DPORTOLAN_FUNCTIONS_PROXIES=%d",
                   cls->name, count, count + 1);
    sidl_object_release(component->d_object);
    return NULL;
}

void portolan_proxy_leave_slot(struct portolan_proxy **slots, int slot)
{
    if (slot > 0)
        __atomic_store_n(&slots[slot - 1], NULL, __ATOMIC_SEQ_CST);
}

void portolan_proxy_show_functions(void *face, const void *functions, size_t size)
{
    void **to = face;
    void *const *from = functions;

    for (size_t i = 0; i < size / sizeof *to; i++)
        __atomic_store_n(&to[i], from[i], __ATOMIC_RELEASE);
}
