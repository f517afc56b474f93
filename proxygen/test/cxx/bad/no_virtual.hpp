/* SPDX-License-Identifier: BSD-3-Clause */
/* port: Plain */
/* expect: 4: port Plain has no method that could be measured */
class Plain {
public:
    int f();
};
