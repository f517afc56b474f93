/* SPDX-License-Identifier: BSD-3-Clause */
/* port: Bound */
/* expect: 4: a proxy for Bound would not compile */
class Bound {
public:
    virtual int f() = 0;
    int &r;
};
