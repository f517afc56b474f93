/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * SIDL run time in C++17, over the tables of C: handles, strings, structs, arrays and exceptions,
 * for callers and for classes that C++ implements. What `portolan sidl --client=C++` and
 * `--server=C++` write includes it; portolan-sidl-cxx(7) is about them.
 *
 * A handle counts: a copy adds a reference, a move does not, the end releases it. Calls through an
 * empty handle are undefined, as through a NULL reference in C. Threads: as in C; one handle is
 * used by one thread at a time.
 */
#ifndef SIDL_CXX_HXX
#define SIDL_CXX_HXX

#include <complex>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "sidl.h"

namespace sidl
{

/** What all handles and exceptions are: a reference, counted, or none. */
class reference
{
  public:
    reference() = default;
    /** Takes over IOR, a new reference. */
    explicit reference(void *ior) noexcept : ior_(ior)
    {
    }
    reference(const reference &other) noexcept : ior_(other.ior_)
    {
        sidl_reference_add(ior_, nullptr);
    }
    reference(reference &&other) noexcept : ior_(std::exchange(other.ior_, nullptr))
    {
    }
    reference &operator=(reference other) noexcept
    {
        std::swap(ior_, other.ior_);
        return *this;
    }
    ~reference()
    {
        sidl_reference_delete(ior_, nullptr);
    }
    bool _is_nil() const
    {
        return !ior_;
    }
    bool _not_nil() const
    {
        return ior_;
    }
    explicit operator bool() const
    {
        return ior_;
    }
    bool isSame(const reference &other) const
    {
        return sidl_reference_is_same(ior_, other.ior_, nullptr);
    }
    bool isType(const std::string &name) const
    {
        return sidl_reference_is_type(ior_, name.c_str(), nullptr);
    }
    /** Borrowed: a reference of some type of the object. */
    void *_get_ior() const
    {
        return ior_;
    }
    /** Gives the reference away. */
    void *_release()
    {
        return std::exchange(ior_, nullptr);
    }

  protected:
    void *ior_ = nullptr;
};

template <typename... T> struct types {
};

/* Whether T is among the types above U. */
template <typename U, typename T, typename = void> struct is_above : std::false_type {
};
template <typename List, typename T> struct is_above_any;
template <typename T, typename... P>
struct is_above_any<types<P...>, T> : std::disjunction<std::is_same<P, T>..., is_above<P, T>...> {
};
template <typename U, typename T>
struct is_above<U, T, std::void_t<typename U::_parents>> : is_above_any<typename U::_parents, T> {
};

/** X as a T: a new reference, empty when the object is of another type. */
template <typename T, typename U> T babel_cast(const U &x)
{
    return T(static_cast<typename T::_ior_t>(sidl_reference_cast(x._get_ior(), T::_name, nullptr)));
}

/* The common members of generated handles; further arguments are the types directly above. */
#define SIDL_CXX_HANDLE(CLASS, C, NAME, ...)                                                       \
    using _ior_t = C;                                                                              \
    using _parents = ::sidl::types<__VA_ARGS__>;                                                   \
    static constexpr const char *_name = NAME;                                                     \
    CLASS() = default;                                                                             \
    explicit CLASS(C ior) noexcept : reference(ior)                                                \
    {                                                                                              \
    }                                                                                              \
    template <typename U, typename = std::enable_if_t<::sidl::is_above<U, CLASS>::value>>          \
    CLASS(const U &child) : reference(sidl_reference_cast(child._get_ior(), NAME, nullptr))        \
    {                                                                                              \
    }                                                                                              \
    C _ior() const                                                                                 \
    {                                                                                              \
        return static_cast<C>(ior_);                                                               \
    }

class BaseInterface : public reference
{
  public:
    SIDL_CXX_HANDLE(BaseInterface, sidl_BaseInterface, "sidl.BaseInterface", void)
};

class BaseClass : public reference
{
  public:
    SIDL_CXX_HANDLE(BaseClass, sidl_BaseClass, "sidl.BaseClass", BaseInterface)
};

/* Exceptions */

/** What C++ catches when a method throws: derived classes are generated, one per SIDL type. */
class thrown : public std::exception, public reference
{
  public:
    thrown() = default;
    explicit thrown(void *ior) noexcept : reference(ior)
    {
    }
    /** The note; valid as long as the object. */
    const char *what() const noexcept override
    {
        sidl_BaseInterface ex = nullptr;
        sidl_BaseException base = sidl_BaseException__cast(ior_, nullptr);
        char *note = base ? sidl_BaseException_getNote(base, &ex) : nullptr;

        try {
            what_ = note ? note : "";
        } catch (...) { /* no memory: the last note, or none */
        }
        sidl_String_free(note);
        sidl_reference_delete(base, nullptr);
        sidl_reference_delete(ex, nullptr);
        return what_.c_str();
    }

  private:
    mutable std::string what_;
};

/* Throws an exception of one SIDL type as an object of its class. */
struct thrower {
    const char *name;
    void (*raise)(sidl_BaseInterface ex);
    const thrower *next;
    static inline const thrower *all = nullptr;

    thrower(const char *type, void (*function)(sidl_BaseInterface))
        : name(type), raise(function), next(std::exchange(all, this))
    {
    }
};

/** Throws EX, which it takes over, as an object of the nearest type that the program knows. */
[[noreturn]] __attribute__((cold, noinline)) inline void raise(sidl_BaseInterface ex)
{
    const sidl_object *object = static_cast<const sidl_object *>(ex->d_object);

    for (size_t i = 0; i < object->n_facets; i++)
        for (const thrower *t = thrower::all; t; t = t->next)
            if (std::string(object->facets[i].type->name) == t->name)
                t->raise(ex);
    throw thrown(ex);
}

/* The common members of exceptions' classes. */
#define SIDL_CXX_EXCEPTION(CLASS, C, NAME, ...)                                                    \
    using _ior_t = C;                                                                              \
    using _parents = ::sidl::types<__VA_ARGS__>;                                                   \
    static constexpr const char *_name = NAME;                                                     \
    CLASS() = default;                                                                             \
    CLASS(const CLASS &) = default; /* and no move: its virtual bases would be moved twice */      \
    CLASS &operator=(const CLASS &) = default;                                                     \
    explicit CLASS(void *ior) noexcept : thrown(ior)                                               \
    {                                                                                              \
    }                                                                                              \
    C _ior() const                                                                                 \
    {                                                                                              \
        return static_cast<C>(sidl_object_facet(sidl_reference_peek(ior_), NAME));                 \
    }

/* After the class. */
#define SIDL_CXX_THROWER(CLASS, NAME)                                                              \
    inline const ::sidl::thrower CLASS##__thrower{                                                 \
        NAME, [](sidl_BaseInterface ex) { throw CLASS(static_cast<void *>(ex)); }};

/** The last argument of a call; check() throws what the call threw. */
class raised
{
  public:
    operator sidl_BaseInterface *()
    {
        return &ex_;
    }
    void check() const
    {
        if (__builtin_expect(ex_ != nullptr, 0))
            raise(ex_);
    }

  private:
    sidl_BaseInterface ex_ = nullptr;
};

/*
 * How a type of C++ passes through a table of C: `in` lends a value, `give` makes one that the
 * other side owns, `take` takes one over. `c` is the type in C.
 */
template <typename T, typename = void> struct binding {
    using c = T; /* numbers, char, pointers */
    static c in(const T &x)
    {
        return x;
    }
    static c give(const T &x)
    {
        return x;
    }
    static T take(c x)
    {
        return x;
    }
};

template <> struct binding<bool> {
    using c = sidl_bool;
    static c in(bool x)
    {
        return x;
    }
    static c give(bool x)
    {
        return x;
    }
    static bool take(c x)
    {
        return x != 0;
    }
};

template <> struct binding<std::string> {
    using c = char *;
    static const char *in(const std::string &x)
    {
        return x.c_str();
    }
    static c give(const std::string &x)
    {
        sidl_BaseInterface ex = nullptr;
        char *copy = sidl_String_strdup(x.c_str());

        if (!copy) {
            sidl_exception_throw_no_memory(&ex);
            raise(ex);
        }
        return copy;
    }
    static std::string take(c x)
    {
        const std::string text(x ? x : "");

        sidl_String_free(x);
        return text;
    }
};

template <typename Real, typename C> struct complex_binding {
    using c = C;
    static c in(const std::complex<Real> &x)
    {
        return c{x.real(), x.imag()};
    }
    static c give(const std::complex<Real> &x)
    {
        return in(x);
    }
    static std::complex<Real> take(c x)
    {
        return {x.real, x.imaginary};
    }
};
template <> struct binding<std::complex<float>> : complex_binding<float, sidl_fcomplex> {
};
template <> struct binding<std::complex<double>> : complex_binding<double, sidl_dcomplex> {
};

/* Handles and exceptions */
template <typename T> struct binding<T, std::enable_if_t<std::is_base_of_v<reference, T>>> {
    using c = typename T::_ior_t;
    static c in(const T &x)
    {
        return x._ior();
    }
    static c give(const T &x)
    {
        sidl_reference_add(x._get_ior(), nullptr);
        return x._ior();
    }
    static T take(c x)
    {
        return T(x);
    }
};

/* Enums; E is the generated enum of C. */
template <typename T, typename E> struct enum_binding {
    using c = E;
    static c in(T x)
    {
        return static_cast<c>(x);
    }
    static c give(T x)
    {
        return static_cast<c>(x);
    }
    static T take(c x)
    {
        return static_cast<T>(x);
    }
};

/* Structs have members _lend, _give and _take. */
template <typename T> struct binding<T, std::void_t<typename T::_c_t>> {
    using c = typename T::_c_t;
    struct lent {
        c value;
        operator const c *() const
        {
            return &value;
        }
    };
    static lent in(const T &x)
    {
        return lent{x._lend()};
    }
    static c give(const T &x)
    {
        return x._give();
    }
    static T take(c x)
    {
        return T::_take(x);
    }
};

template <typename T> auto in(const T &x)
{
    return binding<T>::in(x);
}

/**
 * An out argument of a call, and an inout one: the call writes `value`, and take() moves it to where
 * the caller wants it. B passes it.
 */
template <typename T, typename B = binding<T>> class out
{
  public:
    explicit out(T &to) : to_(to), value_()
    {
    }
    operator typename B::c *()
    {
        return &value_;
    }
    void take()
    {
        to_ = B::take(value_);
    }

  protected:
    T &to_;
    typename B::c value_;
};
template <typename T, typename B = binding<T>> class inout : public out<T, B>
{
  public:
    explicit inout(T &x) : out<T, B>(x)
    {
        this->value_ = B::give(x);
    }
};

/* Methods that C++ implements */

/**
 * An out argument of such a method, or an inout one, whose value it takes over: what the method
 * changes, until give() stores it where the caller wants it. After an exception nothing is there.
 */
template <typename T, typename B = binding<T>> class out_value
{
  public:
    explicit out_value(typename B::c *to) : to_(to), value_()
    {
    }
    operator T &()
    {
        return value_;
    }
    void give()
    {
        *to_ = B::give(value_);
    }

  protected:
    typename B::c *to_;
    T value_;
};
template <typename T, typename B = binding<T>> class inout_value : public out_value<T, B>
{
  public:
    explicit inout_value(typename B::c *x) : out_value<T, B>(x)
    {
        this->value_ = B::take(std::exchange(*x, typename B::c()));
    }
};

/** A handle or array that does not count: of an argument, or of the object that a class is. */
template <typename T> class borrowed : public T
{
  public:
    template <typename C>
    explicit borrowed(C *ior) : T(reinterpret_cast<typename T::_ior_t>(ior))
    {
        if constexpr (std::is_base_of_v<reference, T>)
            this->ior_ = ior; /* of an exception, which has it in a virtual base */
    }
    borrowed(const borrowed &) = delete;
    borrowed &operator=(const borrowed &) = delete;
    ~borrowed()
    {
        this->_release();
    }
};

/** What the caller has in a string, and in a struct, which COPY copies in C. */
inline std::string text(const char *x)
{
    return x ? x : "";
}
template <typename T, typename C>
T copied(const C *x, void (*copy)(const C *from, C *to, sidl_BaseInterface *_ex))
{
    raised ex;
    C c = {};

    copy(x, &c, ex);
    ex.check();
    return T::_take(c);
}

/** Throws a new exception of class T with that note. */
template <typename T> [[noreturn]] void throw_new(const std::string &note)
{
    T made = T::_create();

    made.setNote(note);
    throw made;
}

using sayer = void (*)(sidl_BaseInterface *_ex, const std::string &note);

/** Stores a new sidl.SIDLException in *_EX. */
inline void say_plainly(sidl_BaseInterface *_ex, const std::string &note)
{
    void *made = sidl_exception_create(&sidl_SIDLException__type, _ex);

    *_ex = sidl_exception_fill(made ? made : *_ex, note.c_str(), nullptr, 0, nullptr);
}

/**
 * In a handler of C++: stores what is being thrown in *_EX. An exception of SIDL is passed on.
 * Another std::exception becomes one of SIDL with its text after METHOD, as SAY makes it, and
 * anything else one with a sentence.
 */
__attribute__((cold, noinline)) inline void
pass_on(sidl_BaseInterface *_ex, const char *method, sayer say, const char *file, int line)
{
    try {
        throw;
    } catch (thrown &e) {
        *_ex = static_cast<sidl_BaseInterface>(e._release());
        if (!*_ex)
            say(_ex, method + std::string(": threw an exception of SIDL without an object; make it "
                                          "with _create"));
    } catch (const std::bad_alloc &) {
        sidl_exception_throw_no_memory(_ex);
    } catch (const std::exception &e) {
        say(_ex, method + std::string(": ") + e.what());
    } catch (...) {
        say(_ex, method + std::string(": threw something that is no std::exception, of which "
                                      "nothing can be told; throw a std::runtime_error with a "
                                      "text"));
    }
    sidl_update_exception(*_ex, file, line, method);
}

/**
 * Runs WORK for a caller in C: *_EX is what it threw, else NULL, with the place of this call in its
 * trace. Returns what WORK does, or zero.
 */
template <typename Work>
auto guarded(sidl_BaseInterface *_ex, const char *method, Work work, sayer say = say_plainly,
             const char *file = __builtin_FILE(), int line = __builtin_LINE()) -> decltype(work())
{
    *_ex = nullptr;
    try {
        return work();
    } catch (...) {
        pass_on(_ex, method, say, file, line);
    }
    return decltype(work())();
}

/** The object of class IMPL that implements SELF; it is the private data of a class so deep. */
template <typename Impl> Impl *implementation(void *self, std::size_t depth)
{
    return static_cast<Impl *>(static_cast<sidl_object *>(self)->data[depth]);
}

template <typename Impl>
void construct(typename Impl::_ior_t self, std::size_t depth, sidl_BaseInterface *_ex,
               const char *method)
{
    guarded(_ex, method, [&] {
        std::unique_ptr<Impl> made(new Impl(self));

        sidl_object_set_data(self, depth, made.get()); /* _ctor may call its own methods */
        made->_ctor();
        made.release();
    });
    if (*_ex)
        sidl_object_set_data(self, depth, nullptr);
}

template <typename Impl>
void destroy(void *self, std::size_t depth, sidl_BaseInterface *_ex, const char *method)
{
    guarded(_ex, method, [&] {
        const std::unique_ptr<Impl> gone(implementation<Impl>(self, depth));

        if (gone)
            gone->_dtor();
    });
}

/**
 * The methods of the class that CHILD's class extends, also where it overrides them: `super.m(x)`
 * in CHILD, whose member this is. It is for calls, not to be copied.
 */
template <typename Child, typename Parent> class parent_of : public borrowed<Parent>
{
  public:
    static inline const void *table;
    explicit parent_of(void *self) : borrowed<Parent>(&facet_)
    {
        facet_.d_epv = static_cast<decltype(facet_.d_epv)>(table);
        facet_.d_object = sidl_reference_peek(self);
    }

  private:
    std::remove_pointer_t<typename Parent::_ior_t> facet_{};
};

/*
 * The functions by which the skeleton in C makes and drops the objects of class C (a_b_C), DEPTH
 * classes below sidl.BaseClass, whose code is IMPL.
 */
#define SIDL_CXX_CLASS(C, NAME, IMPL, DEPTH)                                                       \
    extern "C" void impl_##C##__load(sidl_BaseInterface *_ex)                                      \
    {                                                                                              \
        ::sidl::guarded(_ex, NAME "._load", [] { IMPL::_load(); });                                \
    }                                                                                              \
    extern "C" void impl_##C##__ctor(C self, sidl_BaseInterface *_ex)                              \
    {                                                                                              \
        ::sidl::construct<IMPL>(self, DEPTH, _ex, NAME "._ctor");                                  \
    }                                                                                              \
    extern "C" void impl_##C##__ctor2(C, void *, sidl_BaseInterface *_ex)                          \
    {                                                                                              \
        ::sidl::say_plainly(_ex, NAME " is in C++, so its objects cannot be made around data of "  \
                                      "the caller; use _create");                                  \
    }                                                                                              \
    extern "C" void impl_##C##__dtor(C self, sidl_BaseInterface *_ex)                              \
    {                                                                                              \
        ::sidl::destroy<IMPL>(self, DEPTH, _ex, NAME "._dtor");                                    \
    }

/* Arrays */

template <typename T, typename = void> struct element;
template <typename T, typename C, int CODE> struct plain_element {
    using c = C;
    static constexpr enum sidl_array_type code = static_cast<enum sidl_array_type>(CODE);
    static T get(const void *at)
    {
        return static_cast<T>(*static_cast<const C *>(at));
    }
    static void set(void *at, const T &x)
    {
        *static_cast<C *>(at) = static_cast<C>(x);
    }
};
template <> struct element<bool> : plain_element<bool, sidl_bool, sidl_bool_array> {
};
template <> struct element<char> : plain_element<char, char, sidl_char_array> {
};
template <> struct element<double> : plain_element<double, double, sidl_double_array> {
};
template <> struct element<float> : plain_element<float, float, sidl_float_array> {
};
template <> struct element<int32_t> : plain_element<int32_t, int32_t, sidl_int_array> {
};
template <> struct element<int64_t> : plain_element<int64_t, int64_t, sidl_long_array> {
};
template <> struct element<void *> : plain_element<void *, void *, sidl_opaque_array> {
};
template <typename T>
struct element<T, std::enable_if_t<std::is_enum_v<T>>>
    : plain_element<T, int64_t, sidl_long_array> {
};
/* std::complex has the layout of C's structs. */
template <>
struct element<std::complex<float>>
    : plain_element<std::complex<float>, std::complex<float>, sidl_fcomplex_array> {
};
template <>
struct element<std::complex<double>>
    : plain_element<std::complex<double>, std::complex<double>, sidl_dcomplex_array> {
};
template <> struct element<std::string> {
    using c = char *;
    static constexpr enum sidl_array_type code = sidl_string_array;
    static std::string get(const void *at)
    {
        const char *text = *static_cast<char *const *>(at);

        return text ? text : "";
    }
    static void set(void *at, const std::string &x)
    {
        sidl__array_put(code, at, const_cast<char *>(x.c_str()));
    }
};
template <typename T> struct element<T, std::enable_if_t<std::is_base_of_v<reference, T>>> {
    using c = typename T::_ior_t;
    static constexpr enum sidl_array_type code = sidl_interface_array;
    static T get(const void *at)
    {
        c ior = *static_cast<const c *>(at);

        sidl_reference_add(ior, nullptr);
        return T(ior);
    }
    static void set(void *at, const T &x)
    {
        sidl__array_put(code, at, x._ior());
    }
};

/** An array of any type, counted: array<> of SIDL. */
class basearray
{
  public:
    using _ior_t = struct sidl__array *;

    basearray() = default;
    /** Takes over A, a new reference. */
    explicit basearray(struct sidl__array *a) noexcept : a_(a)
    {
    }
    basearray(const basearray &other) noexcept : a_(other.a_)
    {
        sidl__array_addRef(a_);
    }
    basearray(basearray &&other) noexcept : a_(std::exchange(other.a_, nullptr))
    {
    }
    basearray &operator=(basearray other) noexcept
    {
        std::swap(a_, other.a_);
        return *this;
    }
    ~basearray()
    {
        sidl__array_deleteRef(a_);
    }
    bool _is_nil() const
    {
        return !a_;
    }
    bool _not_nil() const
    {
        return a_;
    }
    int32_t dimen() const
    {
        return sidl__array_dimen(a_);
    }
    int32_t lower(int32_t k) const
    {
        return sidl__array_lower(a_, k);
    }
    int32_t upper(int32_t k) const
    {
        return sidl__array_upper(a_, k);
    }
    int32_t length(int32_t k = 0) const
    {
        return sidl__array_length(a_, k);
    }
    int32_t stride(int32_t k) const
    {
        return sidl__array_stride(a_, k);
    }
    bool isColumnOrder() const
    {
        return sidl__array_isColumnOrder(a_);
    }
    bool isRowOrder() const
    {
        return sidl__array_isRowOrder(a_);
    }
    int32_t arrayType() const
    {
        return sidl__array_type(a_);
    }
    basearray smartCopy() const
    {
        return basearray(sidl__array_smartCopy(a_));
    }
    /** Borrowed. */
    struct sidl__array *_get_ior() const
    {
        return a_;
    }
    /** Gives the reference away. */
    struct sidl__array *_release()
    {
        return std::exchange(a_, nullptr);
    }

  protected:
    struct sidl__array *a_ = nullptr;
};

/** An array of T. An array that does not fit, or has no memory, is nil. */
template <typename T> class array : public basearray
{
  public:
    using element_t = element<T>;
    using c_element = typename element_t::c;

    array() = default;
    explicit array(struct sidl__array *a) noexcept : basearray(a)
    {
    }
    /** An array of any type, if its elements are T; else nil. */
    explicit array(const basearray &any)
        : basearray(sidl__array_of_type(any._get_ior(), element_t::code) ? any : basearray())
    {
    }
    static array create1d(int32_t n)
    {
        return array(
            sidl__array_create_by_extents(element_t::code, 1, n, 0, sidl_column_major_order));
    }
    static array create2dCol(int32_t m, int32_t n)
    {
        return array(
            sidl__array_create_by_extents(element_t::code, 2, m, n, sidl_column_major_order));
    }
    static array create2dRow(int32_t m, int32_t n)
    {
        return array(sidl__array_create_by_extents(element_t::code, 2, m, n, sidl_row_major_order));
    }
    static array createCol(int32_t dimen, const int32_t lower[], const int32_t upper[])
    {
        return array(
            sidl__array_create(element_t::code, dimen, lower, upper, sidl_column_major_order));
    }
    static array createRow(int32_t dimen, const int32_t lower[], const int32_t upper[])
    {
        return array(
            sidl__array_create(element_t::code, dimen, lower, upper, sidl_row_major_order));
    }
    /** Around memory that must live as long as the array. */
    static array borrow(c_element *first, int32_t dimen, const int32_t lower[],
                        const int32_t upper[], const int32_t stride[])
    {
        return array(sidl__array_borrow(element_t::code, first, dimen, lower, upper, stride));
    }
    /** The element; T() when the indices are out of bounds. */
    template <typename... Index> T get(Index... index) const
    {
        const void *at = address(index...);

        return at ? element_t::get(at) : T();
    }
    /** set(i, …, value): as in Babel; out of bounds, nothing happens. */
    void set(int32_t i, const T &x)
    {
        put(address(i), x);
    }
    void set(int32_t i, int32_t j, const T &x)
    {
        put(address(i, j), x);
    }
    void set(int32_t i, int32_t j, int32_t k, const T &x)
    {
        put(address(i, j, k), x);
    }
    void set(int32_t i, int32_t j, int32_t k, int32_t l, const T &x)
    {
        put(address(i, j, k, l), x);
    }
    /** The elements in memory, without a check; strides are in elements. */
    c_element *first() const
    {
        c_element *p = nullptr;

        if (a_)
            std::memcpy(&p, static_cast<const void *>(a_ + 1), sizeof p);
        return p;
    }
    array smartCopy() const
    {
        return array(sidl__array_smartCopy(a_));
    }
    array ensure(int32_t dimen, int ordering) const
    {
        return array(sidl__array_ensure(a_, dimen, ordering));
    }
    array slice(int32_t dimen, const int32_t n[], const int32_t *start = nullptr,
                const int32_t *stride = nullptr, const int32_t *new_start = nullptr) const
    {
        return array(sidl__array_slice(a_, dimen, n, start, stride, new_start));
    }
    void copy(const array &from)
    {
        sidl__array_copy(from.a_, a_);
    }

  private:
    template <typename... Index> void *address(Index... index) const
    {
        const int32_t indices[] = {static_cast<int32_t>(index)...};

        return sidl__array_address(a_, sizeof...(index), indices);
    }
    static void put(void *at, const T &x)
    {
        if (at)
            element_t::set(at, x);
    }
};

/* The binding of arrays, whose types in C depend on more than T: C is the generated struct of C. */
template <typename A, typename C> struct array_binding {
    using c = C *;
    static C *in(const A &x)
    {
        return reinterpret_cast<C *>(x._get_ior());
    }
    static C *give(const A &x)
    {
        sidl__array_addRef(x._get_ior());
        return in(x);
    }
    static A take(C *x)
    {
        return A(reinterpret_cast<struct sidl__array *>(x));
    }
};

} // namespace sidl

#endif
