/* SPDX-License-Identifier: BSD-3-Clause */
/* port: lab::Solvr */
/* expect: 1: did you mean 'lab::Solver' */
namespace lab {
class Solver {
public:
    virtual int f() = 0;
};
}
