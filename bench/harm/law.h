/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Candidates of which all is known: harm.py states in HARM_A, HARM_B and HARM_C what a call costs
 * and how it fails (law.c), and each kind of candidate makes its calls by harm_call().
 */
#ifndef HARM_LAW_H
#define HARM_LAW_H

#ifdef __cplusplus
extern "C" {
#endif

enum { HARM_A, HARM_B, HARM_C, HARM_CANDIDATES };

/* One call of a candidate, of size N: the residual that it reached. */
double harm_call(int who, int n);
/* Fails if that candidate is to fail at WHERE: "start", "export", "import". */
void harm_pass(int who, const char *where);

/* HARM_STEPS, unless it is not set. */
int harm_steps(int steps);
/* HARM_SIZES has the sizes of the steps, in turn; else all are 1000. */
int harm_size(int step);
/*
 * Whether the candidate says that it is one of several; then harm.py is told what the calls took,
 * what each candidate alone would have taken, how often another one was called, and how many of
 * STEPS steps were GOOD.
 */
void harm_report(int steps, int good);

#ifdef __cplusplus
}
#endif

#endif
