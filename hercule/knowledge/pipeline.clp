; SPDX-License-Identifier: BSD-3-Clause
; Stages in a row pass blocks on; in a wavefront a stage receives from several sides, and sweeps have
; directions. With p stages in a row, n blocks, c per block and m per message a sweep takes (n + p - 1)(c + m).
(deffacts pipeline
  (paradigm (name pipeline) (text "stages in a row pass blocks on: pipeline, wavefront"))

  ; ---- Behaviour.
  (component (name receive) (text "receiving a block") (kind communication) (mpi first))
  (component (name further) (text "receiving what another rank has of a block") (kind communication) (mpi further))
  (component (name compute) (text "work on a block") (kind computation))
  (component (name send) (text "passing a block on") (kind communication) (mpi send))
  (component (name post) (text "posting a receive") (kind communication) (mpi post))
  (component (name complete) (text "completing a send") (kind communication) (mpi wait))
  (component (name between) (text "collective operations between sweeps") (kind communication)
    (mpi collective))

  ; What is computed between a send and the next receive belongs to the next block, and so does what is computed
  ; between receives from several ranks.
  (event (name block)
    (expression "[([compute], (post | complete)*, receive, (post | receive | complete)*, ([compute], (post | further | complete)+)*) | (compute, complete+)], compute, ((send | post)+, complete*)*")
    (constraints "passed_on"))
  (event (name sweep) (expression "block+") (constraints "same(direction), long"))
  (event (name pause) (text "between sweeps") (expression "between"))
  (related (event block) (to block) (by send receive) (as next))
  (related (event block) (to block) (by ordinal) (as stages))
  (related (event block) (to block) (by before) (as before))
  (related (event block) (to block) (by after) (as after))
  (related (event sweep) (to sweep) (by before) (as before))
  (related (event sweep) (to sweep) (by ordinal) (as all))

  ; The last block of a sweep and the first of one back are one stretch of work on the last stage.
  (attribute (event block) (name turning)
    (formula "direction == 0 && before.direction != 0 && before.direction == -after.direction"))
  ; From partners to others, not to and fro.
  (attribute (event block) (name passed_on) (formula "sends + receives > 0 && (direction != 0 || sends != receives || turning)"))
  (attribute (event block) (name direction)
    (formula "(sends > 0 ? to / sends : rank) - (receives > 0 ? from / receives : rank)"))
  (attribute (event block) (name work) (formula "turning ? compute.time / 2 : compute.time.last"))
  (attribute (event block) (name stall) (formula "receive.wait + further.wait + send.wait + complete.wait"))
  (attribute (event block) (name handshake)
    (formula "receive.time - receive.wait + further.time - further.wait + send.time - send.wait + post.time + complete.time - complete.wait"))
  (attribute (event block) (name sized)
    (formula "min(handshake, per_byte * (receive.bytes + further.bytes + send.bytes))"))
  ; What the block takes where it takes least.
  (attribute (event block) (name base) (formula "stages.work.min"))

  (attribute (event sweep) (name long) (formula "block.count >= 2 || block.turning > 0"))
  (attribute (event sweep) (name direction) (formula "block.direction.mean"))
  (attribute (event sweep) (name turned)
    (formula "before.end == sweep.begin && before.direction != direction"))
  (attribute (event sweep) (name work) (formula "block.work"))
  (attribute (event sweep) (name stall) (formula "block.stall"))
  (attribute (event sweep) (name handshake) (formula "block.handshake"))
  (attribute (event sweep) (name usual) (formula "block.base.mean"))
  ; How far the last stage is from the first: in a row of p stages p - 1; in a grid of i by j stages, of which
  ; 2 p - i - j pairs pass blocks on, i + j - 2.
  (attribute (event sweep) (name depth) (formula "min(P - 1, max(2 * sqrt(P) - 2, 2 * (P - 1) - P * all.partners.mean / 2))"))
  ; So many blocks each stage waits in all, at the begin and at the end, and for the messages of others.
  (attribute (event sweep) (name fill_drain) (formula "depth * usual + (depth - 1) / 2 * block.handshake.mean"))
  (attribute (event sweep) (name turn) (formula "turned && direction != 0 ? fill_drain : 0"))
  (attribute (event sweep) (name ends) (formula "turned || direction == 0 ? 0 : fill_drain"))
  (attribute (event sweep) (name uneven) (formula "depth * (block.base.max - usual)"))
  ; Longer than the fastest stage in most blocks: slow; in some only: something else ran there.
  (attribute (event sweep) (name longer) (formula "work - block.base"))
  (attribute (event block) (name above) (formula "work - base > sweep.longer / sweep.work * work / 2"))
  (attribute (event sweep) (name slow) (formula "block.above.mean > 0.5 ? longer : 0"))
  (attribute (event sweep) (name extra) (formula "longer - slow"))

  ; ---- Performance.
  (composed (event sweep) (of work stall handshake) (rest "between calls"))

  ; ---- Metrics.
  (metric (name working) (text "work on blocks") (formula "compute.time.sum"))
  ; Where paradigms are woven, weaving replaces it.
  (metric (name elsewhere) (text "time of paradigms that are woven with this one") (formula "0"))
  (metric (name stalling) (text "waiting within sweeps, and at the end") (formula "max(0, run - working - starting - elsewhere - handshaking - pausing)"))
  (metric (name handshaking) (text "passing blocks on beyond waiting") (formula "sweep.handshake.sum"))
  (metric (name pausing) (text "collective operations between sweeps") (formula "between.time.sum"))
  (metric (name lost) (text "time without work") (formula "max(0, run - working - starting - elsewhere)"))
  (metric (name losing) (text "time without work") (formula "lost"))
  (metric (name sweeps) (formula "sweep.count.n / P") (unit count))
  (metric (name blocks) (text "blocks of a sweep") (formula "block.count.n / max(1, sweep.count.n)") (unit count))
  ; w/n + m for n blocks is least in all at n = sqrt((p - 1) w / m); bytes are as many in any number of blocks.
  (metric (name best_blocks) (text "the best number of blocks")
    (formula "handshaking > sized ? ceil(sqrt(sweep.depth.mean * block.work.mean * blocks * block.count.n / (handshaking - sized)) - 0.5) : 1e9")
    (unit count))
  (metric (name sized) (text "passing the bytes of blocks") (formula "block.sized.sum") (base losing))
  (metric (name fill_and_drain) (text "before the first and after the last block of a stage")
    (formula "min(sweep.ends.sum, lost)") (base losing))
  (metric (name turning) (text "fill and drain where the direction changes") (formula "sweep.turn.sum") (base losing))
  (metric (name uneven_blocks) (text "waiting for the largest block") 
    (formula "max(0, min(sweep.uneven.sum, lost - fill_and_drain - turning))") (base losing))
  ; Where a large block passes the others while they wait for a slow stage, waiting counts once.
  (metric (name slow_stage) (text "waiting for the slowest stage")
    (formula "max(0, min(sweep.slow.excess, sweep.longer.excess, lost - fill_and_drain - turning - uneven_blocks))")
    (base losing))
  (metric (name outside_work) (text "waiting for what is no work on blocks")
    (formula "max(0, min(min(sweep.extra.excess, sweep.longer.excess) + outside_delay, lost - fill_and_drain - turning - uneven_blocks - slow_stage))")
    (base losing))
  ; A full buffer keeps the sender before a slow stage, which looks like a long send. Stages wait for the one that
  ; takes longest to pass blocks on.
  (metric (name passing) (text "passing blocks on, beyond waiting for work")
    (formula "max(0, min(handshaking + sweep.handshake.excess, lost - fill_and_drain - turning - uneven_blocks - slow_stage - outside_work))")
    (base losing))
  (metric (name passing_bytes) (text "passing bytes on") (formula "passing * sized / max(1, handshaking)") (base passing))
  (metric (name passing_messages) (text "passing messages on, whatever their size") (formula "passing - passing_bytes")
    (base passing))
  (composed (metric losing) (of fill_and_drain turning uneven_blocks slow_stage outside_work passing)
    (rest "unexplained"))

  ; ---- Inference.
  (node (name stages-idle) (kind symptom) (metric losing) (text "stages are idle"))
  (node (name stages-wait) (kind observation) (under stages-idle) (metric stalling) (text "stages wait for blocks"))
  (node (name blocks-too-large) (kind cause) (under stages-wait) (metric fill_and_drain)
    (condition "blocks < best_blocks") (factor block-size) (text "blocks are too large: fill and drain"))
  (node (name sweeps-too-short) (kind cause) (under stages-wait) (metric fill_and_drain)
    (condition "blocks >= best_blocks") (factor sweep-length) (text "sweeps are too short for so many stages"))
  (node (name blocks-too-small) (kind cause) (under stages-idle) (metric passing_messages)
    (condition "blocks > best_blocks") (factor number-of-messages) (text "blocks are too small: handshakes"))
  (node (name messages-slow) (kind cause) (under stages-idle) (metric passing_bytes) (factor message-cost) (text "passing blocks on takes long"))
  (node (name slow-stage) (kind cause) (under stages-idle) (metric slow_stage) (factor stage-balance)
    (text "one stage is slower than the others"))
  (node (name unequal-blocks) (kind cause) (under stages-wait) (metric uneven_blocks) (factor block-balance)
    (text "blocks are unequal"))
  (node (name direction-changes) (kind cause) (under stages-wait) (metric turning) (factor sweep-order)
    (text "each change of direction drains and fills the pipeline"))
  (node (name delay-from-outside) (kind cause) (under stages-wait) (metric outside_work) (factor outside)
    (text "stages wait for work that belongs to no block"))
  (factor (name block-size) (removal dependence) (of receive further) (by "fill_and_drain")
    (remedy "use smaller blocks: {best_blocks} instead of {blocks} per sweep"))
  (factor (name sweep-length) (removal dependence) (of receive further) (by "fill_and_drain")
    (remedy "begin the next sweep before this one ends, or use fewer stages"))
  (factor (name number-of-messages) (removal messages) (of send receive further) (by "max(2, blocks / best_blocks)")
    (remedy "use larger blocks: {best_blocks} instead of {blocks} per sweep"))
  (factor (name message-cost) (removal network) (of send receive further) (by "passing_bytes")
    (remedy "send less per block, or while the next is computed"))
  (factor (name stage-balance) (removal static) (of compute) (remedy "give the slow stage less work"))
  (factor (name block-balance) (removal variation) (of compute) (by "uneven_blocks") (remedy "make blocks of equal work"))
  (factor (name sweep-order) (removal dependence) (of receive further) (by "turning")
    (remedy "sweep both ways at once, or in one direction as long as possible; smaller blocks cost less here, too"))
  (factor (name outside) (removal excess) (of compute) (by "outside_work * P / (P - 1)")
    (remedy "do other work after blocks were passed on, or on another rank")))
