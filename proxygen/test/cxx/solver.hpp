/* SPDX-License-Identifier: BSD-3-Clause */
/* A port as people write them: overloads, contexts, an accuracy, other objects, itself. */
#ifndef TEST_SOLVER_HPP
#define TEST_SOLVER_HPP

#include <memory>
#include <string>
#include <vector>

#ifdef PORTOLAN_PROXYGEN
#define PORT_CONTEXT [[clang::annotate("portolan.context")]]
#else
#define PORT_CONTEXT
#endif

namespace lab {

enum class Mode { direct, iterative };

class Solver {
public:
    using Vector = std::vector<double>;

    virtual ~Solver() = default;
    virtual int setup(PORT_CONTEXT int n, double tolerance, Mode mode = Mode::direct) = 0;
    virtual Vector solve(const Vector &b) = 0;
    virtual double solve(double b) = 0;
    virtual double solve(double b) const = 0;
    virtual double residual() const noexcept = 0;
    virtual void refine(int steps, double &reached) = 0;
    /* takes the matrix away from the caller */
    virtual std::size_t take(std::unique_ptr<Vector> matrix, std::string &&name) = 0;
    /* looks inside the other one, if it can */
    virtual bool is_like(const Solver &other) const = 0;
    virtual bool precede(Solver *other) = 0;
    virtual Solver &scale(double factor) = 0;
    virtual const Solver *me() const = 0;
    virtual void fall(int code) = 0;
    /* with a body, which not everybody overrides */
    virtual std::string name() const { return "nameless"; }
    virtual int nested(Solver &outer, int depth) = 0;
};

} /* namespace lab */

#endif
