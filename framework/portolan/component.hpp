/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * framework: classes of C++ as CCA components, over the C binding of gov.cca, in C++17 and later.
 * portolan-cca(7) shows a component and a driver; examples/cxx are whole ones.
 *
 * Threads: as for <portolan/framework.h>; nothing here has state of its own.
 */
#ifndef PORTOLAN_COMPONENT_HPP
#define PORTOLAN_COMPONENT_HPP

#include <exception>

#include <portolan/framework.h>

#include "sidl_cxx.hxx"

namespace portolan
{

/**
 * The last argument of a call of the C binding: what the call throws is thrown on as an object of
 * its type (sidl_cxx.hxx), at the end of the full expression.
 * `gov_cca_Services_getPort(services, "solver", check())`
 */
class check
{
  public:
    ~check() noexcept(false)
    {
        if (ex_ && !std::uncaught_exceptions())
            sidl::raise(ex_);
    }
    operator sidl_BaseInterface *()
    {
        return &ex_;
    }

  private:
    sidl_BaseInterface ex_ = nullptr;
};

/**
 * Runs WORK for a caller in C: *_EX is what it threw, else NULL. An exception of SIDL is passed on;
 * the text of another std::exception goes into a gov.cca.CCAException after WHO, and so does a
 * sentence about anything else that was thrown. Returns what WORK does, or zero.
 */
template <typename Work>
auto guarded(sidl_BaseInterface *_ex, const char *who, Work work,
             const char *file = __builtin_FILE(), int line = __builtin_LINE()) -> decltype(work())
{
    const sidl::sayer say = [](sidl_BaseInterface *ex, const std::string &note) {
        portolan_throw(ex, PORTOLAN_EINVAL, "%s", note.c_str());
    };

    return sidl::guarded(_ex, who, work, say, file, line);
}

/**
 * The SIDL port to which the uses port NAME of a component is connected, a handle of type PORT
 * (`gov::cca::ports::GoPort`), for as long as this lives; then the port is released. NAME is
 * borrowed, and so are SERVICES. Throws when the port is not connected.
 */
template <typename Port> class connected : public Port
{
  public:
    connected(gov_cca_Services services, const char *name)
        : Port(static_cast<typename Port::_ior_t>(
              portolan_port_get(services, name, Port::_name, check()))),
          services_(services), name_(name)
    {
    }
    ~connected()
    {
        portolan_port_release(services_, name_, this->_release());
    }
    connected(const connected &) = delete;
    connected &operator=(const connected &) = delete;

  private:
    gov_cca_Services services_;
    const char *name_;
};

/**
 * A component that provides one port, an IMPLEMENTATION of the abstract class PORT, which travels
 * as a portolan.ForeignPort; IMPLEMENTATION needs a constructor without arguments. TRAITS has
 * class_name, port_name and type_name, static strings. `create` is for PORTOLAN_COMPONENT.
 */
template <typename Implementation, typename Port, typename Traits> class provider
{
  public:
    static gov_cca_Component create(sidl_BaseInterface *_ex)
    {
        provider *self = static_cast<provider *>(sidl_object_create(&description(), _ex));

        if (!self)
            return nullptr;
        guarded(_ex, Traits::class_name, [&] { self->implementation_ = new Implementation; });
        if (!*_ex)
            return static_cast<gov_cca_Component>(sidl_object_facet(self, "gov.cca.Component"));
        sidl_object_release(self);
        return nullptr;
    }

  private:
    struct sidl_object object_; /* first */
    Implementation *implementation_;

    static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
    {
        gov_cca_Port port = static_cast<gov_cca_Port>(sidl_object_facet(self, "gov.cca.Port"));

        gov_cca_Services_addProvidesPort(services, port, Traits::port_name, Traits::type_name,
                                         nullptr, _ex);
    }
    /* The pointer that is passed is one to the port's class, whatever the implementation derives
     * from. */
    static void *get_pointer(void *self, sidl_BaseInterface *_ex)
    {
        Port *port = static_cast<provider *>(self)->implementation_;

        *_ex = nullptr;
        return port;
    }
    static char *get_type_name(void *, sidl_BaseInterface *_ex)
    {
        *_ex = nullptr;
        return sidl_String_strdup(Traits::type_name);
    }
    static void destroy(void *self)
    {
        delete static_cast<provider *>(self)->implementation_;
    }

    static const struct sidl_class &description()
    {
        static const struct gov_cca_Component__epv component = [] {
            struct gov_cca_Component__epv epv = {};

            epv.f_setServices = set_services;
            return epv;
        }();
        static const struct portolan_ForeignPort__epv foreign = [] {
            struct portolan_ForeignPort__epv epv = {};

            epv.f_getPointer = get_pointer;
            epv.f_getTypeName = get_type_name;
            return epv;
        }();
        static const struct sidl_implements implements[] = {{&portolan_ForeignPort__type, &foreign},
                                                            {&gov_cca_Component__type, &component}};
        static const struct sidl_class cls = [] {
            struct sidl_class c = {};

            c.name = Traits::class_name;
            c.version = "1.0";
            c.size = sizeof(provider);
            c.implements = implements;
            c.n_implements = 2;
            c.destroy = destroy;
            return c;
        }();

        return cls;
    }
};

/**
 * The object to which the uses port NAME of a component is connected, a portolan.ForeignPort of
 * class PORT, for as long as this lives. NAME is borrowed, and so are SERVICES. Throws when the
 * port is not connected. While this lives nothing else can be connected there: hold it for a
 * step.
 */
template <typename Port> class used
{
  public:
    used(gov_cca_Services services, const char *name) : services_(services), name_(name)
    {
        gov_cca_Port port = gov_cca_Services_getPort(services, name, check());
        portolan_ForeignPort foreign = portolan_ForeignPort__cast(port, check());

        gov_cca_Port_deleteRef(port, check());
        port_ = static_cast<Port *>(portolan_ForeignPort_getPointer(foreign, check()));
        portolan_ForeignPort_deleteRef(foreign, check());
    }
    ~used()
    {
        sidl_BaseInterface ignored;

        gov_cca_Services_releasePort(services_, name_, &ignored);
    }
    used(const used &) = delete;
    used &operator=(const used &) = delete;
    Port *operator->() const
    {
        return port_;
    }

  private:
    gov_cca_Services services_;
    const char *name_;
    Port *port_;
};

} /* namespace portolan */

#endif
