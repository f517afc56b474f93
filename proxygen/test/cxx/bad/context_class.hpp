/* SPDX-License-Identifier: BSD-3-Clause */
/* port: Contexts */
/* expect: 9: argument 'p' of 'f' is no number, so it cannot be a context */
struct Point {
    double x;
};
class Contexts {
public:
    virtual int f([[clang::annotate("portolan.context")]] const Point &p) = 0;
};
