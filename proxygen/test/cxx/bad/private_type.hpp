/* SPDX-License-Identifier: BSD-3-Clause */
/* port: Shy */
/* expect: 4: a proxy for Shy would not compile */
class Shy {
    struct Own {
        int n;
    };
    virtual int f(Own own) = 0;

public:
    virtual int g() = 0;
};
