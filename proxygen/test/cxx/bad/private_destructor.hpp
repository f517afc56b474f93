/* SPDX-License-Identifier: BSD-3-Clause */
/* port: Eternal */
/* expect: 8: the destructor of Eternal is private, deleted or final */
class Eternal {
public:
    virtual int f() = 0;
private:
    virtual ~Eternal();
};
