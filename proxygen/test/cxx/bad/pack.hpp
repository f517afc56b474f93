/* SPDX-License-Identifier: BSD-3-Clause */
/* port: Many<int,int> */
/* expect: 4: instances of templates with parameter packs cannot be ports */
template <typename... T> class Many {
public:
    virtual int f() = 0;
};
