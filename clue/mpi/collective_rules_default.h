/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPICH 4.0.2's rules, as its library has them, in its form, without those that offer no choice.
 * Included by collective_rules.c: for shared memory, over nodes, and flat (in two parts, since C
 * limits the length of strings).
 */
/* clang-format off */
#define RULES(...) #__VA_ARGS__
RULES({
"collective=bcast": {"algorithm=release_gather": {}},
"collective=barrier": {"algorithm=release_gather": {}},
"collective=allreduce": {"is_commutative=yes": {"algorithm=release_gather": {}}},
"collective=reduce": {"is_commutative=yes": {"algorithm=release_gather": {}}}
}),
RULES({
"collective=bcast": {"comm_hierarchy=parent": {
    "comm_size<8": {"composition=composition_alpha": {}},
    "comm_size=pow2": {"avg_msg_size<12288": {"composition=composition_alpha": {}},
                       "avg_msg_size<524288": {"composition=composition_beta": {}}},
    "comm_size=any": {"avg_msg_size<12288": {"composition=composition_alpha": {}}}}},
"collective=allreduce": {
    "comm_size=node_comm_size": {"composition=composition_gamma": {}},
    "comm_hierarchy=parent": {"is_commutative=yes": {"composition=composition_alpha": {}}}},
"collective=reduce": {"comm_hierarchy=parent": {"is_commutative=yes": {
    "avg_msg_size<=2048": {"composition=composition_beta": {}},
    "avg_msg_size=any": {"composition=composition_alpha": {}}}}},
"collective=barrier": {"comm_hierarchy=parent": {"composition=composition_alpha": {}}},
"collective=scan": {"is_node_consecutive=yes": {"composition=composition_alpha": {}}}
}),
RULES({
"collective=bcast": {
    "comm_hierarchy=parent": {"avg_msg_size<=0": {"algorithm=smp": {}}},
    "comm_size<8": {"algorithm=binomial": {}},
    "avg_msg_size<=12288": {"algorithm=binomial": {}},
    "comm_size=pow2": {
        "avg_msg_size<=524288": {"algorithm=scatter_recursive_doubling_allgather": {}}},
    "comm_size=any": {"algorithm=scatter_ring_allgather": {}}},
"collective=ibcast": {
    "comm_hierarchy=parent": {"algorithm=smp": {}},
    "comm_size<8": {"algorithm=binomial": {}},
    "avg_msg_size<12288": {"algorithm=binomial": {}},
    "comm_size=pow2": {
        "avg_msg_size<524288": {"algorithm=scatter_recursive_doubling_allgather": {}}},
    "comm_size=any": {"algorithm=scatter_ring_allgather": {}}},
"collective=allreduce": {
    "avg_msg_size<=0": {"is_commutative=yes": {"algorithm=smp": {}}},
    "avg_msg_size<=8": {"algorithm=recursive_doubling": {}},
    "is_op_built_in=no": {"algorithm=recursive_doubling": {}},
    "count<pow2": {"algorithm=recursive_doubling": {}},
    "count=any": {"algorithm=reduce_scatter_allgather": {}}},
"collective=iallreduce": {
    "avg_msg_size<=2048": {"algorithm=recursive_doubling": {}},
    "is_op_built_in=no": {"algorithm=recursive_doubling": {}},
    "count<pow2": {"algorithm=recursive_doubling": {}},
    "count=any": {"algorithm=reduce_scatter_allgather": {}}},
"collective=reduce": {
    "avg_msg_size<=0": {"comm_hierarchy=parent": {
        "is_commutative=yes": {"algorithm=smp": {}}}},
    "avg_msg_size<=2048": {"algorithm=binomial": {}},
    "is_op_built_in=no": {"algorithm=binomial": {}},
    "count<pow2": {"algorithm=binomial": {}},
    "count=any": {"algorithm=reduce_scatter_gather": {}}},
"collective=ireduce": {
    "comm_hierarchy=parent": {"is_commutative=yes": {"algorithm=smp": {}},
                              "is_commutative=no": {"algorithm=binomial": {}}},
    "avg_msg_size<=2048": {"algorithm=binomial": {}},
    "is_op_built_in=no": {"algorithm=binomial": {}},
    "count<pow2": {"algorithm=binomial": {}},
    "count=any": {"algorithm=reduce_scatter_gather": {}}}
}),
RULES({
"collective=allgather": {
    "comm_size=pow2": {"total_msg_size<524288": {"algorithm=recursive_doubling": {}},
                       "total_msg_size=any": {"algorithm=ring": {}}},
    "total_msg_size<81920": {"algorithm=brucks": {}},
    "total_msg_size=any": {"algorithm=ring": {}}},
"collective=allgatherv": {
    "comm_size=pow2": {"total_msg_size<524288": {"algorithm=recursive_doubling": {}},
                       "total_msg_size=any": {"algorithm=ring": {}}},
    "total_msg_size<81920": {"algorithm=brucks": {}},
    "total_msg_size=any": {"algorithm=ring": {}}},
"collective=reduce_scatter": {
    "is_commutative=yes": {"total_msg_size<524288": {"algorithm=recursive_halving": {}},
                           "total_msg_size=any": {"algorithm=pairwise": {}}},
    "is_block_regular=yes": {"comm_size=pow2": {"algorithm=noncommutative": {}},
                             "comm_size=any": {"algorithm=recursive_doubling": {}}},
    "comm_size=any": {"algorithm=recursive_doubling": {}}},
"collective=reduce_scatter_block": {
    "is_commutative=yes": {"total_msg_size<524288": {"algorithm=recursive_halving": {}},
                           "total_msg_size=any": {"algorithm=pairwise": {}}},
    "comm_size=pow2": {"algorithm=noncommutative": {}},
    "comm_size=any": {"algorithm=recursive_doubling": {}}},
"collective=gather": {"comm_type=inter": {
    "total_msg_size<2048": {"algorithm=local_gather_remote_send": {}},
    "total_msg_size=any": {"algorithm=linear": {}}}},
"collective=scatter": {"comm_type=inter": {
    "total_msg_size<2048": {"algorithm=remote_send_local_scatter": {}},
    "total_msg_size=any": {"algorithm=linear": {}}}},
"collective=scan": {"is_node_consecutive=yes": {"algorithm=smp": {}},
                    "is_node_consecutive=no": {"algorithm=recursive_doubling": {}}},
"collective=iscan": {"comm_hierarchy=parent": {"algorithm=smp": {}},
                     "comm_hierarchy=any": {"algorithm=recursive_doubling": {}}},
"collective=barrier": {"comm_hierarchy=parent": {"algorithm=smp": {}},
                       "comm_hierarchy=any": {"algorithm=dissemination": {}}},
"collective=ibarrier": {"comm_type=intra": {"algorithm=dissemination": {}}},
"collective=alltoall": {
    "is_sendbuf_inplace=yes": {"algorithm=pairwise_sendrecv_replace": {}},
    "comm_size<8": {"avg_msg_size<=32768": {"algorithm=scattered": {}},
                    "avg_msg_size=any": {"algorithm=pairwise": {}}},
    "avg_msg_size<=256": {"algorithm=brucks": {}},
    "avg_msg_size<=32768": {"algorithm=scattered": {}},
    "avg_msg_size=any": {"algorithm=pairwise": {}}},
"collective=ialltoall": {
    "is_sendbuf_inplace=yes": {"algorithm=inplace": {}},
    "comm_size<8": {"avg_msg_size<=32768": {"algorithm=permuted_sendrecv": {}},
                    "avg_msg_size=any": {"algorithm=pairwise": {}}},
    "avg_msg_size<=2048": {"algorithm=brucks": {}},
    "avg_msg_size<=32768": {"algorithm=permuted_sendrecv": {}},
    "avg_msg_size=any": {"algorithm=pairwise": {}}},
"collective=alltoallv": {"is_sendbuf_inplace=yes": {"algorithm=pairwise_sendrecv_replace": {}},
                         "is_sendbuf_inplace=no": {"algorithm=scattered": {}}},
"collective=alltoallw": {"is_sendbuf_inplace=yes": {"algorithm=pairwise_sendrecv_replace": {}},
                         "is_sendbuf_inplace=no": {"algorithm=scattered": {}}}
}),
