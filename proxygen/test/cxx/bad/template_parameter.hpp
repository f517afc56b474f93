/* SPDX-License-Identifier: BSD-3-Clause */
/* port: Outer<Inner> */
/* expect: 5: instances of templates whose parameters are templates cannot be ports */
template <typename T> struct Inner {};
template <template <typename> class C> class Outer {
public:
    virtual C<int> f() = 0;
};
