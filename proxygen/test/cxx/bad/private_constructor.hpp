/* SPDX-License-Identifier: BSD-3-Clause */
/* port: Hidden */
/* expect: 4: Hidden has no constructor without arguments that a derived class may call */
class Hidden {
    Hidden();

public:
    virtual int f() = 0;
};
