/* SPDX-License-Identifier: BSD-3-Clause */
/* What a declaration in C++ can look like. */
#ifndef TEST_FORMS_HPP
#define TEST_FORMS_HPP

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>

namespace lab {

struct Point {
    double x, y;
};
namespace detail {
struct Options {
    int level = 1;
};
template <typename T> using Table = std::map<int, T>;
} /* namespace detail */

/* Its name is a namespace's, too, below. */
class forms {
    typedef std::vector<int> hidden;

public:
    enum Color { red, green = 7 };
    struct Inner {
        int depth;
    };

    virtual ~forms() = default;
    /* types */
    virtual Point swap(Point p) = 0;
    virtual detail::Options options(detail::Options o, detail::Table<int> t) = 0;
    virtual uint64_t sizes(std::size_t a, uint64_t b, std::int8_t c) = 0;
    virtual int names(hidden h, Color c, Inner i) = 0;
    virtual long status(struct stat *s, const struct stat &t) = 0;
    virtual double arrays(const double table[][4], double (&four)[4], double *const last) = 0;
    virtual int callbacks(int (*f)(int, Point), const std::function<int(int)> &g) = 0;
    virtual double member(const Point &p, double Point::*which) = 0;
    virtual double (&row(int i))[4] = 0;
    virtual int (*function(bool twice) const)(int) = 0;
    virtual auto trailing(int n) -> std::vector<std::string> = 0;
    virtual void references(int &in, const int &also, Point &&p, int *&pointer) = 0;
    virtual int listed(FILE *file, va_list arguments) = 0; /* names of C */
    virtual void unnamed(int, double, const char *) = 0;
    virtual int clash(int call, int portolan_, int context, int result) = 0;
    /* qualifiers */
    virtual int kind() { return 1; }
    virtual int kind() const { return 2; }
    virtual int value() & = 0;
    virtual int value() && = 0;
    virtual int device(int n) volatile = 0;
    virtual int quiet() noexcept = 0;
    virtual int computed() noexcept(sizeof(int) == 4) = 0;
    virtual int loud() noexcept(false) = 0;
    /* operators */
    virtual int operator()(int a, int b) = 0;
    virtual int &operator[](int i) = 0;
    virtual forms &operator+=(int n) = 0;
    virtual bool operator==(const forms &other) const = 0;
    virtual forms &operator=(int n) = 0;
    virtual operator double() const = 0;
    virtual explicit operator bool() const = 0;
    virtual int operator,(int n) = 0;
    static int version() { return 3; }
    [[deprecated("for the test")]] virtual int old() = 0;
};

} /* namespace lab */

namespace forms {
struct Other {};
} /* namespace forms */

#endif
