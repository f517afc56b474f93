/* SPDX-License-Identifier: BSD-3-Clause */
/* The candidates of harm.py as classes of C++. */
#ifndef HARM_CLASS_HPP
#define HARM_CLASS_HPP

namespace harm
{

class Class
{
  public:
    virtual ~Class() = default;
    virtual double work(int n) = 0;
};

} /* namespace harm */

#endif
