/* SPDX-License-Identifier: BSD-3-Clause */
/* Some of everything, and no other header: for tests that read it again and again. */
namespace lab {

template <typename T> class Base {
public:
    virtual ~Base() = default;
    virtual T base(const T *x) const = 0;
};

class Small : public virtual Base<double> {
public:
    virtual int f(int n, double &reached) = 0;
    virtual int f(double x) const noexcept { return static_cast<int>(x); }
    virtual Small &self(Small *other) = 0;
    int plain(int x) { return hidden(x); }

private:
    virtual int hidden(int x) = 0;
    int data_ = 0;
};

} /* namespace lab */
