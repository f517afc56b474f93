// SPDX-License-Identifier: BSD-3-Clause
// Calls ft.Server and ft.Child from C++, whatever language they are in; fails with a line per mistake.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "ft.hxx"

namespace
{
int failed;

#define CHECK(CONDITION)                                                                           \
    ((CONDITION) ? (void)0                                                                         \
                 : (void)(failed++, std::printf("%s:%d: %s\n", __FILE__, __LINE__, #CONDITION)))

int32_t count(const sidl::reference &x)
{
    return static_cast<sidl_object *>(sidl_reference_peek(x._get_ior()))->references;
}

template <typename T, typename Function> void round(Function pass, T a, T old)
{
    T b{}, c = old;
    const T was = pass(a, b, c);

    CHECK(b == a && c == a && was == old);
}

#define ROUND(NAME, TYPE, A, OLD)                                                                  \
    round<TYPE>([&](TYPE a, TYPE &b, TYPE &c) { return s.pass##NAME(a, b, c); }, A, OLD)

void scalars(ft::Server &s)
{
    int here = 0;

    ROUND(Bool, bool, true, false);
    ROUND(Char, char, 'a', '\xe9');
    ROUND(Double, double, 1e-300, 2.5);
    ROUND(Float, float, 1e30f, 2.5f);
    ROUND(Int, int32_t, INT32_MIN, 5);
    ROUND(Long, int64_t, INT64_MIN, 5);
    ROUND(Opaque, void *, &here, nullptr);
    ROUND(Color, ft::Color, ft::Color::blue, ft::Color_red);
    ROUND(Dcomplex, std::complex<double>, std::complex<double>(1, 2), std::complex<double>(3, -4));
    ROUND(Fcomplex, std::complex<float>, std::complex<float>(1, 2), std::complex<float>(3, -4));
    for (const std::string &text :
         {std::string(), std::string("a"), std::string("blanks at the end   "), std::string("  "),
          std::string("Gr\xc3\xb6\xc3\x9f\x65 \xc2\xb5m"), std::string(20000, 'x')})
        ROUND(String, std::string, text, "was ");
}

void structs(ft::Server &s)
{
    const ft::Pack a{true, "pack ", {1.5, 9}, s};
    ft::Pack b, c{false, "old", {}, {}};
    const ft::Pack was = s.passPack(a, b, c);
    ft::Everything all, more;

    CHECK(b.b && b.name == "pack " && b.begin.n == 9 && b.object.getName() == "server");
    CHECK(was.name == "old" && !was.b && was.object._is_nil() && c.begin.x == 1.5);
    all.b = true, all.c = 'x', all.d = {1, 2}, all.e = 3, all.f = {4, 5}, all.g = 6, all.h = 7;
    all.i = 8, all.j = &all, all.k = ft::Color::red, all.pack = a;
    all.table = sidl::array<double>::create2dRow(2, 2);
    more.table = sidl::array<double>::create2dRow(2, 2);
    all.table.set(1, 0, 5.0);
    all.fixed[5] = more.fixed[5] = 6;
    more.h = 1;
    s.passEverything(all, more);
    CHECK(more.b && more.c == 'x' && more.d == all.d && more.e == 3 && more.f == all.f);
    CHECK(more.g == 6 && more.h == 8 && more.i == 8 && more.j == &all);
    CHECK(more.k == ft::Color::red && more.pack.name == "pack " && more.fixed[5] == 12);
    CHECK(more.table.get(1, 0) == 5 && all.table.get(1, 0) == 5);
}

/* Three elements from -1, and a slice of them with the stride 2. */
template <typename T, typename Function> void elements(Function pass, const std::vector<T> &values)
{
    const int32_t lower[] = {-1}, upper[] = {1}, two[] = {2}, by[] = {2};
    auto a = sidl::array<T>::createCol(1, lower, upper), c = sidl::array<T>::create1d(1);
    sidl::array<T> b;

    for (int32_t i = -1; i <= 1; i++)
        a.set(i, values[static_cast<size_t>(i + 1)]);
    const auto was = pass(a, b, c);
    CHECK(was.length() == 1 && c.lower(0) == -1);
    for (int32_t i = -1; i <= 1; i++)
        CHECK(b.get(i) == a.get(i) && c.get(i) == a.get(i));
    pass(a.slice(1, two, nullptr, by), b, c);
    CHECK(b.length() == 2 && b.get(b.upper(0)) == a.get(1));
}

#define ELEMENTS(NAME, TYPE, ...)                                                                  \
    elements<TYPE>([&](const sidl::array<TYPE> &a, sidl::array<TYPE> &b,                           \
                       sidl::array<TYPE> &c) { return s.pass##NAME(a, b, c); },                    \
                   {__VA_ARGS__})

void arrays(ft::Server &s)
{
    ELEMENTS(Bools, bool, true, false, true);
    ELEMENTS(Chars, char, 'a', 'b', 'c');
    ELEMENTS(Dcomplexes, std::complex<double>, {1, 2}, {3, 4}, {5, 6});
    ELEMENTS(Doubles, double, 1, 2, 3);
    ELEMENTS(Fcomplexes, std::complex<float>, {1, 2}, {3, 4}, {5, 6});
    ELEMENTS(Floats, float, 1, 2, 3);
    ELEMENTS(Ints, int32_t, 1, 2, 3);
    ELEMENTS(Longs, int64_t, 1, 2, INT64_MAX);
    ELEMENTS(Opaques, void *, nullptr, &failed, &s);
    ELEMENTS(Strings, std::string, "one ", "", "zw\xc3\xb6lf");
    ELEMENTS(Colors, ft::Color, ft::Color::red, ft::Color::green, ft::Color::blue);

    auto objects = sidl::array<ft::Named>::create1d(2), c = objects;
    sidl::array<ft::Named> b;
    objects.set(1, s);
    s.passObjects(objects, b, c);
    CHECK(b.get(0)._is_nil() && b.get(1).isSame(s) && c.get(1).getName() == "server");

    const auto ints = sidl::array<int32_t>::create1d(1);
    sidl::basearray any = ints, copy;
    s.passAny(ints, copy, any);
    CHECK(copy.arrayType() == sidl_int_array && sidl::array<double>(copy)._is_nil());
}

template <typename Make, typename Weigh> void rank(int32_t n, Make make, Weigh weigh)
{
    const int32_t starts[] = {2, 3, 4, 5, 6, 7, 8}, by[] = {-1, -1, -1, -1, -1, -1, -1};
    const int32_t two[] = {2, 2, 2, 2, 2, 2, 2}, lows[] = {1, 2, 3, 4, 5, 6, 7};

    for (const bool rows : {false, true}) {
        sidl::array<double> a;
        double expected = 0, reversed = 0;

        make(rows, a);
        CHECK(rows ? a.isRowOrder() : a.isColumnOrder());
        const auto back = a.slice(n, two, starts, by, lows);
        for (int k = 0; k < 1 << n; k++) {
            int32_t index[7];
            double weight = 0, power = 1;

            for (int i = 0; i < n; i++, power *= 10)
                weight += (index[i] = i + 1 + (k >> i & 1)) * power;
            CHECK(*static_cast<double *>(sidl__array_address(a._get_ior(), n, index)) == weight);
            expected += weight * weight;
            reversed += weight * *static_cast<double *>(sidl__array_address(back._get_ior(), n,
                                                                           index));
        }
        CHECK(weigh(a) == expected && weigh(back) == reversed);
    }
}

#define RANK(N)                                                                                    \
    rank(                                                                                          \
        N, [&](bool rows, sidl::array<double> &a) { s.make##N(rows, a); },                         \
        [&](const sidl::array<double> &a) { return s.weigh##N(a); })

void ranks(ft::Server &s)
{
    RANK(1), RANK(2), RANK(3), RANK(4), RANK(5), RANK(6), RANK(7);
    CHECK(s.weigh2({}) == -1);
}

void raw(ft::Server &s)
{
    const double x[] = {1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<double> a = {1, 2, 3};
    const int32_t cube[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const std::complex<float> z[] = {{1, 2}, {3, 4}};
    const int64_t l[] = {5, 6};

    CHECK(s.sum(x, 2, 2) == 2 + 30 + 44 + 100 + 126 + 210 + 248);
    s.scale(a.data(), 3, 2);
    CHECK(a[0] == 2 && a[2] == 6);
    CHECK(s.total(cube) == 2 + 6 + 12 + 20 + 30 + 42 + 56);
    CHECK(s.first(z, l, 2) == std::complex<float>(6, 2));
}

void objects(ft::Server &s)
{
    ft::Child child = ft::Child::_create();
    const ft::Named a = child;
    ft::Named b, c = s;

    child.setName("child");
    const ft::Named was = s.passObject(a, b, c);
    CHECK(b.getName() == "child!" && c.isSame(child) && was.isSame(s) && count(child) == 4);
    CHECK(sidl::babel_cast<ft::Types>(b).isType("ft.Child"));
    CHECK(sidl::babel_cast<ft::Child>(was)._is_nil());
    ft::Named moved = std::move(b);
    CHECK(b._is_nil() && count(child) == 4);
    s.passObject({}, b, c);
    CHECK(b._is_nil() && c._is_nil());

    const int32_t before = ft::Server::next(0);
    CHECK(ft::Server::next(5) == before + 5 && ft::Server::level(std::vector<double>{1}.data(), 1) ==
                                                   ft::Color::red);
    CHECK(s.add(3, 4) == 7 && s.add(.5, .25) == .75 && s.add("a ", "b ") == "a b ");
    CHECK(child.add(20, 22) == 42 && s.dive(2, 21, child) == 42);
}

/* Which handler takes what dive(KIND) throws, and its note. */
template <typename Exception>
bool is_caught(ft::Server &s, int32_t kind, const char *note, const ft::Callback &c = {})
{
    try {
        s.dive(3, kind, c);
    } catch (Exception &e) {
        return std::strstr(e.what(), note);
    } catch (...) {
    }
    return false;
}

void exceptions(ft::Server &s, bool is_cxx)
{
    CHECK(is_caught<ft::Failure>(s, 1, "failed"));
    CHECK(is_caught<ft::WorseFailure>(s, 2, "failed worse"));
    CHECK(is_caught<ft::Failure>(s, 2, "failed worse"));
    CHECK(is_caught<sidl::RuntimeException>(s, 2, "failed worse"));
    CHECK(!is_caught<sidl::RuntimeException>(s, 1, "failed"));
    CHECK(is_caught<sidl::BaseException>(s, 3, "failed by code"));
    CHECK(is_caught<std::exception>(s, 3, "failed by code"));
    CHECK(is_caught<ft::Failure>(s, -1, "", ft::Child::_create()));
    try {
        s.dive(3, 3, {});
    } catch (const ft::CodedFailure &e) {
        const std::string trace = e.getTrace();
        int lines = 0;

        for (const char c : trace)
            lines += c == '\n';
        CHECK(e.getCode() == 42 && e.getNote() == "failed by code" && lines >= 4);
        e.add("client.cc", 7, "caller");
        CHECK(e.getTrace().find("caller at client.cc:7") != std::string::npos);
    }
    if (is_cxx) {
        CHECK(is_caught<sidl::SIDLException>(s, 4, "ft.Server.dive: a range"));
        CHECK(is_caught<sidl::SIDLException>(s, 5, "ft.Server.dive: threw something that is no "
                                                   "std::exception"));
    }
    try {
        s.missing();
        CHECK(false);
    } catch (const sidl::NotImplementedException &e) {
        CHECK(e.getNote() == "ft.Server.missing is not implemented");
    }
}
} // namespace

int main(int argc, char **argv)
{
    ft::Server s = ft::Server::_create();

    s.setName("server");
    for (long i = std::atol(std::getenv("ROUNDS")); i >= 0; i--) {
        scalars(s);
        structs(s);
        arrays(s);
        if (i % 10 == 0)
            CHECK(is_caught<ft::Failure>(s, 1, "failed"));
    }
    ranks(s);
    raw(s);
    objects(s);
    exceptions(s, argc > 1 && !std::strcmp(argv[1], "cxx"));
    CHECK(count(s) == 1);
    return failed != 0;
}
