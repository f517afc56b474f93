/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parallel transform is made of; each level combines two transforms of half the length. */
#ifndef FFT_H
#define FFT_H

typedef struct {
    double re, im;
} Complex;

/* A signal of N numbers that is the same wherever it is made. */
void initialize(int N, Complex *a);

/* W[k] = exp(-pi i k / n), k = 0 … n-1: of a transform of length 2 n, the roots that it needs. */
void Roots(int n, Complex *W);

/* A[0 … 2n-1] from the transforms B of the even and C of the odd elements; B may be A, C be A + n.
 */
void combine(Complex *A, const Complex *B, const Complex *C, const Complex *W, int n);

/* A[0 … N-1]: the transform of the N elements of a that lie STRIDE apart. */
void seqDandCFFT(Complex *A, const Complex *a, const Complex *W, int N, int stride);

#endif
