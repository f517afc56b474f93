/* SPDX-License-Identifier: BSD-3-Clause */
/* port: Part<int*> */
/* expect: 5: an instance of a partial specialisation */
template <typename T> class Part;
template <typename T> class Part<T *> {
public:
    virtual int f() = 0;
};
