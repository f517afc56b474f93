/* SPDX-License-Identifier: BSD-3-Clause */
/* port: Stuck */
/* expect: 6: 'f' is pure and final, so no class can ever implement it */
class Stuck {
public:
    virtual int f() final = 0;
    virtual int g() = 0;
};
