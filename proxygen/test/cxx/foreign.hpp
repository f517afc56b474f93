/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects of C++ as ports, and proxies of them, for tests. */
#ifndef TEST_FOREIGN_HPP
#define TEST_FOREIGN_HPP

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <portolan/framework.h>
#include <portolan/probe.h>

extern "C" {
#include <cmocka.h>

#include "../records.h"
}

namespace test
{

/* A port that carries a pointer. */
struct carrier {
    struct sidl_object object; /* first */
    void *pointer;
    const char *type;

    static void *get_pointer(void *self, sidl_BaseInterface *)
    {
        return static_cast<carrier *>(self)->pointer;
    }
    static char *get_type_name(void *self, sidl_BaseInterface *)
    {
        return sidl_String_strdup(static_cast<carrier *>(self)->type);
    }
};

inline gov_cca_Port carry(void *pointer, const char *type)
{
    static struct portolan_ForeignPort__epv epv;
    static const struct sidl_implements implements[] = {{&portolan_ForeignPort__type, &epv}};
    static struct sidl_class cls;
    sidl_BaseInterface ex = nullptr;

    epv.f_getPointer = carrier::get_pointer;
    epv.f_getTypeName = carrier::get_type_name;
    cls.name = "test.Carrier";
    cls.version = "1.0";
    cls.size = sizeof(carrier);
    cls.implements = implements;
    cls.n_implements = 1;
    carrier *c = static_cast<carrier *>(sidl_object_create(&cls, &ex));
    c->pointer = pointer;
    c->type = type;
    return static_cast<gov_cca_Port>(sidl_object_facet(c, "gov.cca.Port"));
}

/* A proxy, and what a user of it holds. */
template <typename Port> class proxied
{
  public:
    explicit proxied(const struct portolan_component &component, const char *type)
        : component_(component.create(&ex_)), type_(type)
    {
        assert_no_exception(&ex_);
    }
    ~proxied()
    {
        gov_cca_Component_deleteRef(component_, &ex_);
    }

    void bind(Port *object, const char *instance)
    {
        gov_cca_Port port = object ? carry(object, type_) : nullptr;

        bind_use(component_, port, instance, instance, &ex_);
        if (port)
            gov_cca_Port_deleteRef(port, nullptr);
        assert_no_exception(&ex_);
    }
    void monitor(struct test_monitor *m)
    {
        bind_monitor(component_, m, &ex_);
    }
    Port *face()
    {
        portolan_ForeignPort foreign = portolan_ForeignPort__cast(component_, &ex_);
        Port *port = static_cast<Port *>(portolan_ForeignPort_getPointer(foreign, &ex_));

        portolan_ForeignPort_deleteRef(foreign, nullptr);
        assert_no_exception(&ex_);
        return port;
    }

  private:
    sidl_BaseInterface ex_ = nullptr;
    gov_cca_Component component_;
    const char *type_;
};

/* IMPLEMENTATION behind a monitored proxy of PORT. */
template <typename Port, typename Implementation> struct fixture {
    proxied<Port> proxy;
    struct test_monitor *monitor = test_monitor_create();
    Implementation behind;
    Port *port;

    fixture(const struct portolan_component &component, const char *type) : proxy(component, type)
    {
        records_begin();
        proxy.monitor(monitor);
        proxy.bind(&behind, "Behind");
        port = proxy.face();
    }
    ~fixture()
    {
        proxy.monitor(nullptr);
        gov_cca_Port_deleteRef(test_monitor_port(monitor), nullptr);
    }
};

inline uint64_t calls(const char *method)
{
    return records_of(method, nullptr).calls;
}

} /* namespace test */

#endif
