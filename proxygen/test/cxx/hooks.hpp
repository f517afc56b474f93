/* SPDX-License-Identifier: BSD-3-Clause */
/* What is not for everybody, and what a proxy cannot see. */
#ifndef TEST_HOOKS_HPP
#define TEST_HOOKS_HPP

#include <cstdarg>

namespace lab {

class Hooks {
public:
    /* the interface is not virtual, the parts are */
    int run(int n) { return before(n) + inner(n); }
    virtual int logged(const char *format, ...);
    virtual int vlogged(const char *format, va_list arguments) = 0;
    virtual int fixed() final { return 11; }
    virtual int fixed(int n) { return n; }
    [[noreturn]] virtual void leave(int status) = 0;
    static int made();

protected:
    Hooks() = default;
    ~Hooks() = default; /* nobody deletes one by its base */
    virtual int before(int n) = 0;

private:
    virtual int inner(int n) = 0;
    virtual int inner(double x) { return static_cast<int>(x); }

public:
    template <typename T> T any(T x) { return x; }
    double tolerance = 0.5;

private:
    int calls_ = 0;
    friend class Test;
};

inline int Hooks::logged(const char *format, ...)
{
    va_list arguments;
    int result;

    calls_++;
    va_start(arguments, format);
    result = vlogged(format, arguments);
    va_end(arguments);
    return result;
}

} /* namespace lab */

#endif
