/* SPDX-License-Identifier: BSD-3-Clause */
/* Where methods can come from. */
#ifndef TEST_BASES_HPP
#define TEST_BASES_HPP

#include <string>

namespace lab {
inline namespace v2 {

struct Named {
    virtual ~Named() = default;
    virtual std::string name() const = 0;
    virtual int shared() = 0;
};
struct Counted {
    virtual ~Counted() = default;
    virtual int count() const { return -1; }
    virtual int shared() = 0;
};
struct Loader : virtual Named {
    virtual int load() = 0;
    virtual Named *copy() = 0;
};
struct Saver : virtual Named {
    virtual int save() = 0;
    std::string name() const override { return "saver"; }
};

/* A diamond, a second line, and a result that is more than the base's. */
class Store : public Loader, public Saver, public Counted {
public:
    Store *copy() override = 0;
    using Counted::count;
    virtual int load(int n) = 0;
    using Loader::load;
};

struct Part {
    virtual ~Part() = default;
    virtual int weight() = 0;
    virtual int color() { return 5; }
};
struct Left : Part {
    virtual int left() = 0;
};
struct Right : Part {
    virtual int right() = 0;
};
/* Two parts: who asks for the weight of one gets the weight of the whole. */
struct Pair : Left, Right {};

/* Not everybody's base. */
class Closed : private Part, protected Counted {
public:
    virtual int open() = 0;
    int both() { return weight() + shared(); }
};

} /* namespace v2 */

struct Outer {
    class Port {
    public:
        virtual ~Port() = default;
        virtual int inside(const Port &) = 0;
    };
};
using Inner = Outer::Port;

} /* namespace lab */

#endif
