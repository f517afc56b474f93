/* SPDX-License-Identifier: BSD-3-Clause */
/* port: Derived */
/* expect: 9: a proxy for Derived would not compile */
class Base {
public:
    Base(int n);
    virtual int f() = 0;
};
class Derived : public virtual Base {
public:
    Derived() : Base(3) {}
};
