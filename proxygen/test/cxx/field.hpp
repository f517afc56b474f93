/* SPDX-License-Identifier: BSD-3-Clause */
/* Instances of templates. */
#ifndef TEST_FIELD_HPP
#define TEST_FIELD_HPP

#include <array>
#include <map>
#include <vector>

namespace lab {

template <typename T> class Tagged {
public:
    virtual ~Tagged() = default;
    virtual T tag(const T *t) const = 0;

protected:
    virtual void touch(T) {}
};

template <typename T, int N, class Container = std::vector<T>>
class Field : public Tagged<T>, public virtual Tagged<std::array<T, N>> {
public:
    using value_type = T;
    using Tagged<T>::tag;
    enum class Norm { one, two };
    struct Options {
        int n;
    };

    virtual void fill(const T &a, value_type b = N, Options o = {1},
                      std::map<int, int> m = std::map<int, int>()) = 0;
    virtual T sum(const std::array<T, N> &a, Norm norm) const noexcept = 0;
    virtual T sum(T a) const { return a; }
    virtual Field &next(Field *f) = 0;
    virtual typename Container::iterator first(Container &c) { return c.begin(); }
    T twice(T x) const { return 2 * one(x); }

private:
    virtual T one(T x) const = 0;
};

class Bound : public Field<float, 2> {
public:
    virtual int extra() = 0;
};

/* Written out, so it is a class of its own. */
template <> class Tagged<char> {
public:
    virtual ~Tagged() = default;
    virtual char letter() = 0;
};

} /* namespace lab */

#endif
