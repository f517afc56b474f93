/* SPDX-License-Identifier: BSD-3-Clause */
/* The sequential parts of the transform: divide and conquer over even and odd elements. */
#include "fft.h"

#include <math.h>
#include <stdint.h>

/* How many roots there are: combine() takes every so manieth of them. */
static int n_roots;

void initialize(int N, Complex *a)
{
    uint64_t x = 88172645463325252u;

    for (int i = 0; i < N; i++) {
        double part[2];

        for (int k = 0; k < 2; k++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            part[k] = (double)(x >> 11) * 0x1p-52 - 1;
        }
        a[i].re = part[0];
        a[i].im = part[1];
    }
}

void Roots(int n, Complex *W)
{
    n_roots = n;
    for (int k = 0; k < n; k++) {
        double angle = -M_PI * k / n;

        W[k].re = cos(angle);
        W[k].im = sin(angle);
    }
}

void combine(Complex *A, const Complex *B, const Complex *C, const Complex *W, int n)
{
    int step = n_roots / n;

    for (int i = 0; i < n; i++) {
        Complex b = B[i], c = C[i], w = W[i * step], t;

        t.re = w.re * c.re - w.im * c.im;
        t.im = w.re * c.im + w.im * c.re;
        A[i].re = b.re + t.re;
        A[i].im = b.im + t.im;
        A[i + n].re = b.re - t.re;
        A[i + n].im = b.im - t.im;
    }
}

void seqDandCFFT(Complex *A, const Complex *a, const Complex *W, int N, int stride)
{
    int n = N / 2;

    if (N == 1) {
        A[0] = a[0];
        return;
    }
    seqDandCFFT(A, a, W, n, stride * 2);
    seqDandCFFT(A + n, a + stride, W, n, stride * 2);
    combine(A, A, A + n, W, n);
}
