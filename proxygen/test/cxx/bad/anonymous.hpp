/* SPDX-License-Identifier: BSD-3-Clause */
/* port: Local */
/* expect: 5: has no name that other files can use */
namespace {
class Local {
public:
    virtual int f() = 0;
};
}
