/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check_fft LENGTH FILE: whether FILE holds what FFTW makes of the example's signal. Tests only:
 * FFTW is under the GPL and no part of Portolan.
 */
#include "../fft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <fftw3.h>

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[1]) : 0;
    FILE *in = argc > 2 ? fopen(argv[2], "rb") : NULL;
    fftw_complex *signal, *expected;
    Complex *got;
    fftw_plan plan;
    double error = 0, size = 0;

    if (!in || n < 1)
        return 2;
    signal = fftw_alloc_complex((size_t)n);
    expected = fftw_alloc_complex((size_t)n);
    got = malloc(((size_t)n + 1) * sizeof *got);
    if (!signal || !expected || !got || fread(got, sizeof *got, (size_t)n + 1, in) != (size_t)n)
        return 2;
    plan = fftw_plan_dft_1d(n, signal, expected, FFTW_FORWARD, FFTW_ESTIMATE);
    initialize(n, (Complex *)signal);
    fftw_execute(plan);
    for (int i = 0; i < n; i++) {
        error += pow(got[i].re - expected[i][0], 2) + pow(got[i].im - expected[i][1], 2);
        size += pow(expected[i][0], 2) + pow(expected[i][1], 2);
    }
    printf("relative difference %.2e\n", sqrt(error / size));
    fftw_destroy_plan(plan);
    fftw_free(signal);
    fftw_free(expected);
    free(got);
    fclose(in);
    /* Rounding grows with the levels: some 1e-16 each. */
    return sqrt(error / size) < 1e-14 ? 0 : 1;
}
