/* Made by portolan call of sweeps.c: change that one. */
#include "sweeps.cll.h"
#line 1 "sweeps.c"
/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies of sweeps: moved, but for what would change its meaning. */
#include <stdio.h>
int main(void)
{
	double s = 0;
	for (int n = 1; n <= 4; n *= 2) {
		for (int k = 1; k <= 4; k *= 2) {
#define LONG(a, \
             b) (a)
			printf("a\
b %d\n", LONG(n, 1));
		    /* a
		       comment */
#if 1
			portolan_cll_begin(&cll_e, (const double[]){n, k});
			s += n *
			     k;
		label:
			if (s > 100)
				{ portolan_cll_end(&cll_e); break; }
			if (s < 0) goto label;
			portolan_cll_end(&cll_e);
#endif

		}
	}
	for (int i = 0; i < 3; i++) {
		s += i;
	}
	for (int i = 0; i < 3; i++) { s += i; }
	portolan_cll_report(&portolan_cll_seq, NULL, "sweeps", NULL);
	return s < 0;
}
