/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies of sweeps: moved, but for what would change its meaning. */
#include <stdio.h>
int main(void)
{
	double s = 0;
#pragma cll for (int n = 1; n <= 4; n *= 2)
#pragma cll for (int k = 1; k <= 4; k *= 2)
#define LONG(a, \
             b) (a)
	printf("a\
b %d\n", LONG(n, 1));
    /* a
       comment */
#if 1
#pragma cll e e[0] + e[1]*n*k
	s += n *
	     k;
label:
	if (s > 100)
		break;
	if (s < 0) goto label;
#pragma cll end e
#endif

#pragma cll end for
#pragma cll end for
	#pragma cll for (int i = 0; i < 3; i++)
		s += i;
	#pragma cll end for
	_Pragma("cll for (int i = 0; i < 3; i++)") s += i; _Pragma("cll end for")
#pragma cll report all
	return s < 0;
}
