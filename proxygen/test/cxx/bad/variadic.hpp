/* SPDX-License-Identifier: BSD-3-Clause */
/* port: Log */
/* expect: 6: 'say' is variadic and pure */
class Log {
public:
    virtual int say(const char *format, ...) = 0;
    virtual int other() = 0;
};
