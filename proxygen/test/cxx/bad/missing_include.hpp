/* SPDX-License-Identifier: BSD-3-Clause */
/* port: Lacking */
/* expect: 4: 'no/such/header.hpp' file not found */
#include "no/such/header.hpp"
class Lacking {
public:
    virtual int f(Unknown) = 0;
};
