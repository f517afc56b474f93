/* SPDX-License-Identifier: BSD-3-Clause */
/* port: lab::Field */
/* expect: 1: use of class template */
namespace lab {
template <typename T> class Field {
public:
    virtual int f() = 0;
};
}
