// SPDX-License-Identifier: BSD-3-Clause
// A caller in C++ of the class in ../test_roundtrip.c, through rt.hxx. Fails with a line per
// mistake.
#include <cstdio>
#include <cstring>
#include <vector>

#include "rt.hxx"

extern "C" rt_Both make_both(void);

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
    round<TYPE>([&](TYPE a, TYPE &b, TYPE &c) { return both.pass##NAME(a, b, c); }, A, OLD)

void plain_types_pass_in_every_mode(rt::Both &both)
{
    int here = 0;

    ROUND(Bool, bool, true, false);
    ROUND(Char, char, 'a', 'z');
    ROUND(Double, double, 0.1, -1e300);
    ROUND(Float, float, 0.25f, -3.0f);
    ROUND(Int, int32_t, INT32_MIN, 4);
    ROUND(Long, int64_t, INT64_MIN, 5);
    ROUND(Opaque, void *, &here, nullptr);
    ROUND(Color, rt::Color, rt::Color::blue, rt::Color_red);
    ROUND(Dcomplex, std::complex<double>, std::complex<double>(1.5, -2.5),
          std::complex<double>(3, 4));
    ROUND(Fcomplex, std::complex<float>, std::complex<float>(1.5f, -2.5f),
          std::complex<float>(3, 4));
    ROUND(String, std::string, "", "old \xc3\xa9 and blanks  ");
    ROUND(String, std::string, std::string(100000, 'x'), "short");
    both.pass();
}

void structs_objects_and_arrays_pass_in_every_mode(rt::Both &both)
{
    rt::Pair a{"left", "right"}, b, c{"old", ""};
    const rt::Pair was = both.passPair(a, b, c);

    CHECK(b.left == "left" && c.right == "right" && was.left == "old" && a.left == "left");

    rt::Types in = both, out, inout = both;
    const rt::Types result = both.passObject(in, out, inout);

    CHECK(out.isSame(both) && inout.isSame(both) && result.isSame(both));
    CHECK(count(both) == 5);

    auto matrix = sidl::array<double>::create2dRow(2, 3),
         small = sidl::array<double>::create2dCol(1, 1);
    sidl::array<double> copy;

    matrix.set(1, 2, 42.0);
    const sidl::array<double> old = both.passArray(matrix, copy, small);
    CHECK(copy.first() == matrix.first() && small.get(1, 2) == 42.0 && old.length(0) == 1);
    CHECK(matrix.isRowOrder() && matrix.get(7, 7) == 0 && matrix.dimen() == 2);

    auto objects = sidl::array<rt::Types>::create1d(1);
    sidl::array<std::string> names;
    sidl::basearray any;

    objects.set(0, both);
    const auto back = both.passObjects(objects, names, any);
    CHECK(back.get(0).isSame(both) && names.get(1) == "second" && names.get(0).empty());
    CHECK(any.arrayType() == sidl_string_array && sidl::array<double>(any)._is_nil());
    CHECK(sidl::array<std::string>(any).get(1) == "second");
}

void raw_arrays_are_pointers_with_extents(rt::Both &both)
{
    const double x[] = {1, 2, 3, 4};
    std::vector<double> a = {1, 2, 3, 4, 5, 6, 7, 8};
    const int32_t cube[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const std::complex<float> z[] = {{9, 8}, {7, 6}, {5, 4}};

    CHECK(both.sum(x, 4) == 10);
    both.scale(a.data(), 2, 2, 10.0);
    CHECK(a[0] == 10 && a[7] == 80);
    CHECK(both.total(cube, 2, 3, 2) == 11);
    CHECK(both.first(z).imag() == 8);
}

void casts_go_up_by_assignment_and_down_by_babel_cast(rt::Both &both)
{
    rt::Right right = both;
    rt::Fields fields = right;
    sidl::BaseInterface base = fields;
    rt::Left left = sidl::babel_cast<rt::Left>(base);

    CHECK(left._not_nil() && left.left() == 1);
    CHECK(sidl::babel_cast<rt::Both>(left).both() == 3);
    CHECK(sidl::babel_cast<sidl::SIDLException>(left)._is_nil());
    CHECK(count(both) == 5);
    rt::Left moved = std::move(left);
    CHECK(left._is_nil() && count(both) == 5);
    left = moved;
    CHECK(count(both) == 6 && left.isType("gov.cca.Port"));
}

template <typename Exception> bool is_caught_as(rt::Both &both)
{
    try {
        both.right();
    } catch (Exception &e) {
        return std::strstr(e.what(), "not today");
    } catch (...) {
    }
    return false;
}

void exceptions_are_caught_by_their_type_and_its_parents(rt::Both &both)
{
    CHECK(is_caught_as<rt::WorseFailure>(both));
    CHECK(is_caught_as<rt::Failure>(both));
    CHECK(is_caught_as<sidl::RuntimeException>(both));
    CHECK(is_caught_as<sidl::SIDLException>(both));
    CHECK(is_caught_as<sidl::BaseException>(both));
    CHECK(is_caught_as<std::exception>(both));
    CHECK(!is_caught_as<sidl::MemAllocException>(both));
    try {
        both.right();
    } catch (const rt::Failure &e) {
        e.add("client.cc", 7, "caller");
        CHECK(e.getNote() == "not today");
        CHECK(e.getTrace().find("both_right") != std::string::npos);
        CHECK(e.getTrace().find("caller at client.cc:7") != std::string::npos);
        rt::WorseFailure same = sidl::babel_cast<rt::WorseFailure>(e);
        CHECK(same.isSame(e));
    }
    rt::Failure made = rt::Failure::_create();
    made.setNote("made here");
    try {
        throw made;
    } catch (const std::exception &e) {
        CHECK(!std::strcmp(e.what(), "made here"));
    }
}

void nothing_is_left_after_many_calls(rt::Both &both)
{
    const int32_t before = count(both);

    for (int i = 0; i < 100000; i++) {
        rt::Types out, inout = both;
        std::string b, c = "old";
        rt::Pair p, q{"l", "r"};

        both.passObject(both, out, inout);
        both.passString("text", b, c);
        both.passPair(q, p, q);
        if (i % 10 == 0)
            CHECK(is_caught_as<rt::Failure>(both));
    }
    CHECK(count(both) == before);
}
} // namespace

int main()
{
    rt::Both both(make_both());

    plain_types_pass_in_every_mode(both);
    structs_objects_and_arrays_pass_in_every_mode(both);
    CHECK(count(both) == 1);
    raw_arrays_are_pointers_with_extents(both);
    casts_go_up_by_assignment_and_down_by_babel_cast(both);
    exceptions_are_caught_by_their_type_and_its_parents(both);
    nothing_is_left_after_many_calls(both);
    CHECK(count(both) == 1);
    return failed != 0;
}
