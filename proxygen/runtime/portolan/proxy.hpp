/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * proxy: what generated proxies of C++ classes share. Only code that `portolan proxygen` made
 * includes this header.
 *
 * Users hold the proxy's face, an object derived from the port's class, whose methods are measured
 * and handed on to the target object. Exceptions pass through it and end the call. A proxy is to be
 * compiled with the same ABI settings as those who use it; it needs no RTTI unless methods take
 * other objects of the port's class. Threads: as for <portolan/proxy.h>. The proxy owns its face.
 */
#ifndef PORTOLAN_PROXY_HPP
#define PORTOLAN_PROXY_HPP

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <portolan/proxy.h>

namespace portolan
{

/** Thrown if a proxy has no target. Methods that are noexcept terminate instead. */
class unconnected : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

[[noreturn]] __attribute__((cold, noinline)) inline void
throw_unconnected(const struct portolan_proxy *proxy, size_t method)
{
    const struct portolan_proxy_description *d = proxy->description;

    throw unconnected(std::string("call of '") + d->methods[method].name +
                      "': nothing is connected behind the proxy for " + d->type);
}

/** Returns the target object of PROXY for a CALL of METHOD that is not measured. */
template <typename Port>
__attribute__((always_inline)) inline Port *proxy_target(const struct portolan_proxy *proxy,
                                                         size_t method,
                                                         const struct portolan_probe_pass &call)
{
    Port *object = static_cast<Port *>(call.binding->target);

    if (PORTOLAN_PROBE_UNLIKELY(!object))
        throw_unconnected(proxy, method);
    return object;
}

/**
 * One call: begins here and ends with the block, whether by return or by exception. The method it
 * is in must be reached through a pointer, as virtual methods are, and have one of these.
 */
template <typename Port> class proxy_call
{
  public:
    __attribute__((always_inline)) inline proxy_call(struct portolan_proxy *proxy, unsigned method,
                                                     const struct portolan_probe_context *context,
                                                     unsigned n_context)
    {
        object_ = static_cast<Port *>(
            portolan_probe_enter(&call_, &proxy->port, method, context, n_context)->target);
        if (PORTOLAN_PROBE_UNLIKELY(!object_)) {
            portolan_probe_leave_failed(&call_);
            throw_unconnected(proxy, method);
        }
    }
    __attribute__((always_inline)) inline ~proxy_call()
    {
        if (PORTOLAN_PROBE_UNLIKELY(failed_))
            portolan_probe_leave_failed(&call_);
        else
            portolan_probe_leave(&call_);
    }
    proxy_call(const proxy_call &) = delete;
    proxy_call &operator=(const proxy_call &) = delete;

    /** Returns the target object; it stays as long as the call runs. */
    Port *object() const
    {
        return object_;
    }
    Port *operator->() const
    {
        return object_;
    }
    Port &operator*() const
    {
        return *object_;
    }

    /** Notes whether the call failed: an exception leaves it, or its result says so. */
    void failed(bool whether)
    {
        failed_ = whether;
    }

    /** Notes what accuracy was reached. */
    template <typename Number> void accuracy(const Number &value)
    {
        portolan_probe_note_accuracy(&call_, static_cast<double>(value));
    }
    template <typename Number> void accuracy(Number *value)
    {
        if (value)
            accuracy(*value);
    }

  private:
    struct portolan_probe_call call_;
    Port *object_;
    bool failed_ = false; /* known where this is compiled, so that it costs nothing */
};

/** The context of a whole number; those without sign that int64_t lacks are the largest. */
template <typename Number> portolan_probe_context proxy_whole(Number x)
{
    if constexpr (std::is_unsigned_v<Number> && sizeof x == sizeof(int64_t))
        return portolan_probe_context_int(x > INT64_MAX ? INT64_MAX : static_cast<int64_t>(x));
    else
        return portolan_probe_context_int(static_cast<int64_t>(x));
}

/** Gives the function proxy_member(TAG) for a method that only the class itself may name. */
template <typename Tag, typename Tag::type Member> struct proxy_grant {
    friend constexpr typename Tag::type proxy_member(Tag)
    {
        return Member;
    }
};

/** Returns the target of OBJECT if it is a proxy's face, else OBJECT. */
template <typename Face, typename Port> Port *proxy_behind(Port *object)
{
#if defined(__cpp_rtti)
    if (object && typeid(*object) == typeid(Face))
        return static_cast<Port *>(
            portolan_probe_port_peek_binding(&static_cast<const Face *>(object)->portolan_->port)
                ->target);
#endif
    return object;
}
template <typename Face, typename Port> Port &proxy_behind(Port &object)
{
    return *proxy_behind<Face>(&object);
}

/** The component that has the face. */
template <typename Face> struct proxy_component {
    struct portolan_proxy common; /* first */
    Face *face;

    static void *face_of(struct portolan_proxy *proxy)
    {
        typename Face::portolan_port *port = reinterpret_cast<proxy_component *>(proxy)->face;

        return port;
    }

    static void destroy(void *self)
    {
        ::delete static_cast<proxy_component *>(self)->face;
        portolan_proxy_destroy(self);
    }

    static gov_cca_Component create(const struct sidl_class *cls,
                                    const struct portolan_proxy_description *description,
                                    sidl_BaseInterface *_ex)
    {
        gov_cca_Component component = portolan_proxy_create(cls, description, _ex);
        const char *why = "its constructor threw an exception";

        if (!component)
            return nullptr;
        proxy_component *self = static_cast<proxy_component *>(component->d_object);
        try {
            self->face = ::new Face(&self->common);
            return component;
        } catch (const std::exception &e) {
            why = e.what();
            portolan_throw(_ex, PORTOLAN_EUNSUPPORTED, "%s: %s", cls->name, why);
        } catch (...) {
            portolan_throw(_ex, PORTOLAN_EUNSUPPORTED, "%s: %s", cls->name, why);
        }
        sidl_object_release(self);
        return nullptr;
    }
};

constexpr struct portolan_proxy_description
proxy_describe(const char *type, const struct portolan_probe_method *methods, size_t n_methods,
               void *(*face)(struct portolan_proxy *))
{
    struct portolan_proxy_description d = {};

    d.size = sizeof d;
    d.type = type;
    d.methods = methods;
    d.n_methods = n_methods;
    d.face = face;
    return d;
}

constexpr struct sidl_class proxy_class(const char *name, size_t size,
                                        const struct sidl_implements *implements,
                                        size_t n_implements, void (*destroy)(void *))
{
    struct sidl_class c = {};

    c.name = name;
    c.version = "1.0";
    c.size = size;
    c.implements = implements;
    c.n_implements = n_implements;
    c.destroy = destroy;
    c.cast = portolan_proxy_cast;
    return c;
}

} /* namespace portolan */

/** The component class of a proxy whose face is PREFIX_face and whose methods are PREFIX_methods.
 */
#define PORTOLAN_PROXY_COMPONENT(PREFIX, CLASS, TYPE)                                              \
    namespace                                                                                      \
    {                                                                                              \
    using PREFIX = portolan::proxy_component<PREFIX##_face>;                                       \
    const struct portolan_proxy_description PREFIX##_description = portolan::proxy_describe(       \
        TYPE, PREFIX##_methods, sizeof PREFIX##_methods / sizeof *PREFIX##_methods,                \
        PREFIX::face_of);                                                                          \
    const struct sidl_implements PREFIX##_implements[] = {                                         \
        {&portolan_ForeignPort__type, &portolan_proxy_foreign},                                    \
        PORTOLAN_PROXY_IMPLEMENTS,                                                                 \
    };                                                                                             \
    const struct sidl_class PREFIX##_class = portolan::proxy_class(                                \
        CLASS, sizeof(PREFIX), PREFIX##_implements,                                                \
        sizeof PREFIX##_implements / sizeof *PREFIX##_implements, PREFIX::destroy);                \
    gov_cca_Component PREFIX##_create(sidl_BaseInterface *_ex)                                     \
    {                                                                                              \
        return PREFIX::create(&PREFIX##_class, &PREFIX##_description, _ex);                        \
    }                                                                                              \
    }                                                                                              \
    PORTOLAN_COMPONENT(PREFIX, CLASS, PREFIX##_create)

#endif
