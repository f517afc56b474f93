/* SPDX-License-Identifier: BSD-3-Clause */
/* Two small models with the Basic Model Interface. */
#ifndef MODELS_H
#define MODELS_H

#include "headers/bmi.h"

/* Temperatures along a rod; its data exists from initialize to finalize. 10 ns per step. */
Bmi *model_heat_create(void);
/* Counts its updates, and knows nothing else: most of its functions are NULL. 3 ns per step. */
Bmi *model_counter_create(void);

#endif
