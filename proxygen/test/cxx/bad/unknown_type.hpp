/* SPDX-License-Identifier: BSD-3-Clause */
/* port: Lacking */
/* expect: 6: unknown type name 'Unknown' */
class Lacking {
public:
    virtual int f(Unknown) = 0;
};
