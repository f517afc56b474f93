/* SPDX-License-Identifier: BSD-3-Clause */
#include "includes.h"
#include "nowhere.h"
