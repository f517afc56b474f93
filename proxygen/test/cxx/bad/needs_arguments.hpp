/* SPDX-License-Identifier: BSD-3-Clause */
/* port: lab::Sized */
/* expect: 5: lab::Sized has no constructor without arguments that a derived class may call */
namespace lab {
class Sized {
public:
    explicit Sized(int n);
    virtual int f() = 0;
};
}
