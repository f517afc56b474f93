/* SPDX-License-Identifier: BSD-3-Clause */
/* port: Both */
/* expect: 10: a proxy for Both would not compile */
struct A {
    virtual int f() = 0;
};
struct B {
    virtual double f() = 0;
};
struct Both : A, B {};
