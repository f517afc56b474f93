/* SPDX-License-Identifier: BSD-3-Clause */
/* Splicer blocks; portolan sidl writes the rest of the file. */
/* DO-NOT-DELETE splicer.begin(ft.Server._includes) */
#include <numeric>
#include <stdexcept>

namespace
{
int32_t counter;

/* b and c become a; what c was is returned. */
template <typename T> T pass(const T &a, T &b, T &c)
{
    const T was = c;

    b = c = a;
    return was;
}

template <typename A> A pass_array(const A &a, A &b, A &c)
{
    const A was = c;

    b = a.smartCopy();
    c = a.smartCopy();
    return was;
}

/* Calls F(index, weight of the index) for all elements. */
template <typename F> void each(const sidl::array<double> &a, F f)
{
    int32_t index[7];
    int32_t k = 0;

    for (int32_t i = 0; i < a.dimen(); i++)
        index[i] = a.lower(i);
    while (k < a.dimen()) {
        double weight = 0, power = 1;

        for (int32_t i = 0; i < a.dimen(); i++, power *= 10)
            weight += index[i] * power;
        f(*static_cast<double *>(sidl__array_address(a._get_ior(), a.dimen(), index)), weight);
        for (k = 0; k < a.dimen() && ++index[k] > a.upper(k); k++)
            index[k] = a.lower(k);
    }
}

double weigh(const sidl::array<double> &a)
{
    double sum = 0;

    each(a, [&](double x, double weight) { sum += x * weight; });
    return a._is_nil() ? -1 : sum;
}

void make(bool rows, int32_t rank, sidl::array<double> &a)
{
    const int32_t lower[] = {1, 2, 3, 4, 5, 6, 7}, upper[] = {2, 3, 4, 5, 6, 7, 8};

    a = rows ? sidl::array<double>::createRow(rank, lower, upper)
             : sidl::array<double>::createCol(rank, lower, upper);
    each(a, [](double &x, double weight) { x = weight; });
}
} // namespace
/* DO-NOT-DELETE splicer.end(ft.Server._includes) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passBool) */
    return pass(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passBool) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passChar) */
    return pass(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passChar) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passDcomplex) */
    return pass(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passDcomplex) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passDouble) */
    return pass(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passDouble) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passFcomplex) */
    return pass(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passFcomplex) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passFloat) */
    return pass(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passFloat) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passInt) */
    return pass(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passInt) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passLong) */
    return pass(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passLong) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passOpaque) */
    return pass(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passOpaque) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passString) */
    return pass(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passString) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passColor) */
    return pass(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passColor) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passObject) */
    return pass(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passObject) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passPoint) */
    return pass(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passPoint) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passPack) */
    return pass(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passPack) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passBools) */
    return pass_array(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passBools) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passChars) */
    return pass_array(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passChars) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passDcomplexes) */
    return pass_array(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passDcomplexes) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passDoubles) */
    return pass_array(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passDoubles) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passFcomplexes) */
    return pass_array(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passFcomplexes) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passFloats) */
    return pass_array(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passFloats) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passInts) */
    return pass_array(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passInts) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passLongs) */
    return pass_array(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passLongs) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passOpaques) */
    return pass_array(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passOpaques) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passStrings) */
    return pass_array(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passStrings) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passColors) */
    return pass_array(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passColors) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passObjects) */
    return pass_array(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passObjects) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passAny) */
    return pass_array(a, b, c);
    /* DO-NOT-DELETE splicer.end(ft.Server.passAny) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.passEverything) */
    const double *from = a.table.first();
    double *to = c.table.first();

    c.b = a.b, c.c = a.c, c.k = a.k, c.j = a.j, c.pack = a.pack;
    c.d += a.d, c.e += a.e, c.f += a.f, c.g += a.g, c.h += a.h, c.i += a.i;
    for (int i = 0; i < 4; i++)
        to[i] += from[i];
    for (int i = 0; i < 6; i++)
        c.fixed[i] += a.fixed[i];
    /* DO-NOT-DELETE splicer.end(ft.Server.passEverything) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.weigh1) */
    return weigh(a);
    /* DO-NOT-DELETE splicer.end(ft.Server.weigh1) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.make1) */
    make(rows, 1, a);
    /* DO-NOT-DELETE splicer.end(ft.Server.make1) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.weigh2) */
    return weigh(a);
    /* DO-NOT-DELETE splicer.end(ft.Server.weigh2) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.make2) */
    make(rows, 2, a);
    /* DO-NOT-DELETE splicer.end(ft.Server.make2) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.weigh3) */
    return weigh(a);
    /* DO-NOT-DELETE splicer.end(ft.Server.weigh3) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.make3) */
    make(rows, 3, a);
    /* DO-NOT-DELETE splicer.end(ft.Server.make3) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.weigh4) */
    return weigh(a);
    /* DO-NOT-DELETE splicer.end(ft.Server.weigh4) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.make4) */
    make(rows, 4, a);
    /* DO-NOT-DELETE splicer.end(ft.Server.make4) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.weigh5) */
    return weigh(a);
    /* DO-NOT-DELETE splicer.end(ft.Server.weigh5) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.make5) */
    make(rows, 5, a);
    /* DO-NOT-DELETE splicer.end(ft.Server.make5) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.weigh6) */
    return weigh(a);
    /* DO-NOT-DELETE splicer.end(ft.Server.weigh6) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.make6) */
    make(rows, 6, a);
    /* DO-NOT-DELETE splicer.end(ft.Server.make6) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.weigh7) */
    return weigh(a);
    /* DO-NOT-DELETE splicer.end(ft.Server.weigh7) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.make7) */
    make(rows, 7, a);
    /* DO-NOT-DELETE splicer.end(ft.Server.make7) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.ordered) */
    for (int i = 0; i < 4; i++)
        b.first()[i] *= 2;
    return a.smartCopy();
    /* DO-NOT-DELETE splicer.end(ft.Server.ordered) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.sum) */
    double sum = 0;

    for (int32_t j = 0; j < 2 * n; j++)
        for (int32_t i = 0; i < m; i++)
            sum += x[i + j * m] * (i + 10 * j);
    return sum;
    /* DO-NOT-DELETE splicer.end(ft.Server.sum) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.scale) */
    for (int32_t i = 0; i < n; i++)
        x[i] *= factor;
    /* DO-NOT-DELETE splicer.end(ft.Server.scale) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.total) */
    int32_t sum = 0;

    for (int i = 0; i < 8; i++)
        sum += x[i] * i;
    return sum;
    /* DO-NOT-DELETE splicer.end(ft.Server.total) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.first) */
    return {z[0].real() * static_cast<float>(l[n - 1]), z[0].imag()};
    /* DO-NOT-DELETE splicer.end(ft.Server.first) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.fault) */
    if (kind)
        a = sidl::array<int32_t>::create2dCol(2, 2);
    /* DO-NOT-DELETE splicer.end(ft.Server.fault) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.add) */
    return a + b;
    /* DO-NOT-DELETE splicer.end(ft.Server.add) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.addReal) */
    return a + b;
    /* DO-NOT-DELETE splicer.end(ft.Server.addReal) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.addText) */
    return a + b;
    /* DO-NOT-DELETE splicer.end(ft.Server.addText) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.next) */
    return counter += step;
    /* DO-NOT-DELETE splicer.end(ft.Server.next) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.level) */
    return n > 0 && x[0] > 0 ? Color::red : Color::blue;
    /* DO-NOT-DELETE splicer.end(ft.Server.level) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.setName) */
    name_ = name;
    /* DO-NOT-DELETE splicer.end(ft.Server.setName) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.getName) */
    return name_;
    /* DO-NOT-DELETE splicer.end(ft.Server.getName) */
    /* DO-NOT-DELETE splicer.begin(ft.Server.dive) */
    if (depth > 0)
        return dive(depth - 1, kind, c);
    if (c._not_nil())
        return c.call(kind);
    switch (kind) {
    case 1:
        sidl::throw_new<Failure>("failed");
    case 2:
        sidl::throw_new<WorseFailure>("failed worse");
    case 4:
        throw std::range_error("a range");
    case 5:
        throw 5;
    }
    CodedFailure coded = CodedFailure::_create();

    coded.setCode(42);
    coded.setNote("failed by code");
    throw coded;
    /* DO-NOT-DELETE splicer.end(ft.Server.dive) */
