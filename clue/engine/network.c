/* SPDX-License-Identifier: BSD-3-Clause */
/* The way of messages from the sender to the receiver. */
#include "internal.h"

void network_landed(struct clue_engine *e, uint32_t message, int64_t ns)
{
    message_of(e, message)->arrival = ns;
    matching_landed(e, message);
}

void network_launch(struct clue_engine *e, uint32_t message, int64_t start)
{
    struct message *m = message_of(e, message);
    const struct clue_pair *pair;

    m->start = start;
    if (m->flags & CLUE_FREE)
        network_landed(e, message, start);
    else if ((pair = pair_of(e, m->from, m->to)))
        network_landed(e, message, start + law_ns(&pair->transmission, m->bytes));
}
