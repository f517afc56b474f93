/* SPDX-License-Identifier: BSD-3-Clause */
/* port: Broken */
/* expect: 6: expected */
class Broken {
public:
    virtual int f( = 0;
};
