/* SPDX-License-Identifier: BSD-3-Clause */
/* port: Sealed */
/* expect: 4: Sealed is final, so no proxy can be derived from it */
class Sealed final {
public:
    virtual int f() = 0;
};
