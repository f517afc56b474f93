/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * optimizer: from measurements to the best assembly. A pure library: it does not read a store, call
 * a framework or print. Pruning, exact choice, the plan that joins them with models, and the order
 * of trials. Each header states its errors, owners, threads and sources.
 */
#ifndef PORTOLAN_OPTIMIZER_H
#define PORTOLAN_OPTIMIZER_H

#include <portolan/answer.h>
#include <portolan/callgraph.h>
#include <portolan/choice.h>
#include <portolan/measure.h>
#include <portolan/plan.h>
#include <portolan/race.h>

#endif
