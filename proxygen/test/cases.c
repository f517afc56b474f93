/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

#include <stdio.h>
#include <string.h>

static struct {
    gov_cca_Component component;
    struct test_monitor *monitor;
} made[8];
static size_t n_made;

int cases_begin(void **state)
{
    records_begin();
    n_made = 0;
    return 0;
}

int cases_end(void **state)
{
    sidl_BaseInterface _ex = NULL;

    while (n_made-- > 0) {
        gov_cca_Component_deleteRef(made[n_made].component, &_ex);
        sidl_object_release(made[n_made].monitor);
    }
    return 0;
}

void *cases_face(const struct portolan_component *component, const char *type, void *object)
{
    sidl_BaseInterface _ex = NULL;
    gov_cca_Component proxy = component->create(&_ex);
    struct test_monitor *monitor = test_monitor_create();
    gov_cca_Port behind = portolan_foreign_create(object, type, &_ex);
    portolan_ForeignPort port = portolan_ForeignPort__cast(proxy, &_ex);
    void *face;

    bind_monitor(proxy, monitor, &_ex);
    bind_use(proxy, behind, "provider", "test.Provider", &_ex);
    assert_no_exception(&_ex);
    face = portolan_ForeignPort_getPointer(port, &_ex);
    assert_no_exception(&_ex);
    portolan_ForeignPort_deleteRef(port, &_ex);
    gov_cca_Port_deleteRef(behind, &_ex);
    assert_true(n_made < sizeof made / sizeof *made);
    made[n_made].component = proxy;
    made[n_made++].monitor = monitor;
    return face;
}

const char *cases_parent(const char *method)
{
    static char name[100];
    struct portolan_probe_snapshot s = {0};
    size_t found = 0;

    *name = '\0';
    assert_int_equal(portolan_probe_snapshot_take(&s, NULL), PORTOLAN_OK);
    for (size_t i = 0; i < s.count; i++) {
        const struct portolan_probe_method_info *info =
            portolan_probe_method_peek(s.records[i].handle);
        const struct portolan_probe_record *r = &s.records[i];

        if (!r->calls || !info || strcmp(info->method.name, method) != 0)
            continue;
        found++;
        info = r->parent < 0 ? NULL : portolan_probe_method_peek(s.records[r->parent].handle);
        snprintf(name, sizeof name, "%s", info && info->method.name ? info->method.name : "");
    }
    portolan_probe_snapshot_clear(&s);
    assert_int_equal(found, 1);
    return name;
}
