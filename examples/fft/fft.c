/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A parallel Fourier transform, annotated for CALL: figures 3 and 4 of J. A. González et al.,
 * "Analysis and Tools for Performance Prediction" (2001). parDandCFFT is as printed there, with the
 * declarations that the figure leaves out; its line breaks and blanks are kept.
 *
 * fft LENGTH [LAST [TIMES [FILE]]]: transforms signals of LENGTH, 2 LENGTH, … LAST numbers, TIMES
 * each; the last transform goes to FILE as it lies in memory. Lengths are powers of 2, and at least
 * the number of processes, which is one, too.
 */
#pragma parallel PUB gbsp

#include "fft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pub.h>

/* clang-format off */
void parDandCFFT(Complex *A, Complex *a, Complex *W,
   int N, int stride,t_bsp *gbsp) {
    int n, size, partner, subgroup[2]; /* the figure's "variable declarations" */
    Complex *B, *C;
    t_bsp bsp_new;
    if (bsp_nprocs(gbsp) > 1) {
        if(N == 1) { A[0].re = a[0].re; A[0].im = a[0].im; }
        else {
            #pragma cll A A[0]
            n = N / 2; size = n*sizeof(Complex); B = A; C = A + n;
            #pragma cll end A
            #pragma cll B B[0]
            subgroup[1] = bsp_nprocs(gbsp);
            subgroup[0] = (bsp_nprocs(gbsp) / 2);
            bsp_partition(gbsp, &bsp_new, 2, subgroup);
            #pragma cll end B
            if(bsp_pid(gbsp) < subgroup[0]) {
                parDandCFFT(B, a, W, n, stride*2, &bsp_new);
                #pragma cll C C[0]
                partner = bsp_pid(&bsp_new) + subgroup[0];
                bsp_done(&bsp_new);
                #pragma cll end C
                #pragma cll D D[0]+D[1]*size
                bsp_hpsend(gbsp, partner, B, size);
                bsp_oblsync(gbsp, 1);
                #pragma cll end D
                #pragma cll E E[0]+E[1]*size
                C = (Complex*)bspmsg_data(bsp_getmsg(gbsp, 0));
                #pragma cll end E
            }
            else {
                parDandCFFT(C, a+stride, W, n, stride*2, &bsp_new);
                #pragma cll C C[0]
                partner = bsp_pid(&bsp_new);
                bsp_done(&bsp_new);
                #pragma cll end C
                #pragma cll D D[0]+D[1]*size
                bsp_hpsend(gbsp, partner, C, size);
                bsp_oblsync(gbsp, 1);
                #pragma cll end D
                #pragma cll E E[0]+E[1]*size
                B = (Complex*)bspmsg_data(bsp_getmsg(gbsp, 0));
                #pragma cll end E
            }
            #pragma cll F F[0]+F[1]*n
            combine(A,B,C,W,n);
            #pragma cll end F
        }
    }
    else
        #pragma cll G G[0]+G[1]*N*log(N)
        seqDandCFFT(A, a, W, N, stride);
    #pragma cll end G
}
/* clang-format on */

static int is_power(long n)
{
    return n > 0 && n <= 1 << 28 && (n & (n - 1)) == 0;
}

static void *need(int n)
{
    void *memory = malloc((size_t)n * sizeof(Complex));

    if (!memory) {
        fprintf(stderr, "fft: out of memory for %d complex numbers\n", n);
        exit(1);
    }
    return memory;
}

/* Figure 3: one signal of N numbers. The result is the caller's. */
static Complex *transform(int N, int times, t_bsp *gbsp)
{
    Complex *a = need(N), *A = need(N), *W = need(N / 2 + 1);
    int P = bsp_nprocs(gbsp);

    (void)P; /* only the formula below reads it */
    initialize(N, a);
    memset(A, 0, (size_t)N * sizeof *A); /* or the first transform would pay for the pages */
    Roots(N / 2, W);
    for (int t = 0; t < times; t++) {
        bsp_sync(gbsp);
#pragma cll fft fft[0] + fft[1] * log(P) + fft[2] * (N / P) * log(N / P) + fft[3] * N *(P - 1) / P
        parDandCFFT(A, a, W, N, 1, gbsp);
#pragma cll end fft
        bsp_sync(gbsp);
    }
    free(a);
    free(W);
    return A;
}

static int save(const char *file, const Complex *A, int N)
{
    FILE *out = fopen(file, "wb");
    int is_good = out && fwrite(A, sizeof *A, (size_t)N, out) == (size_t)N;

    if (out && fclose(out) != 0)
        is_good = 0;
    if (!is_good)
        fprintf(stderr, "fft: cannot write %s\n", file);
    return is_good ? 0 : 1;
}

int main(int argc, char **argv)
{
    long first = argc > 1 ? atol(argv[1]) : 0, last = argc > 2 ? atol(argv[2]) : first;
    int times = argc > 3 ? atoi(argv[3]) : 1, result = 0;
    t_bsp bsp, *gbsp = &bsp;

    bsplib_saveargs(&argc, &argv);
    bsplib_init(BSPLIB_STDPARAMS, gbsp);
    if (!is_power(first) || !is_power(last) || first > last || times < 1 ||
        !is_power(bsp_nprocs(gbsp)) || first < bsp_nprocs(gbsp)) {
        if (bsp_pid(gbsp) == 0)
            fprintf(stderr, "usage: fft LENGTH [LAST [TIMES [FILE]]], lengths and the number of "
                            "processes being powers of 2, and no length less than it\n");
        bsplib_done();
        return 2;
    }
    for (long N = first; N <= last; N *= 2) {
        Complex *A = transform((int)N, times, gbsp);

        if (N == last && argc > 4 && bsp_pid(gbsp) == bsp_nprocs(gbsp) - 1)
            result = save(argv[4], A, (int)N);
        free(A);
    }
#pragma cll report all
    bsplib_done();
    return result;
}
