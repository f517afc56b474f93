; SPDX-License-Identifier: BSD-3-Clause
; A problem is split, parts go to other ranks, and their results are merged. A rank that keeps one part
; splits it again, so that what it does is a row: all splits, its own part, all merges.
(deffacts divide-and-conquer
  (paradigm (name divide-and-conquer) (text "problems are split, given to others, solved and merged"))

  ; ---- Behaviour: one stretch of computing is split, solve or merge by its place.
  (component (name fetch) (text "getting a part") (kind communication) (mpi receive))
  (component (name split) (kind computation))
  (component (name send) (text "giving a part away") (kind communication) (mpi send))
  (component (name solve) (kind computation))
  (component (name collect) (text "getting a result") (kind communication) (mpi receive))
  (component (name merge) (kind computation))
  (component (name return) (text "giving the result back") (kind communication) (mpi send))
  (component (name between) (text "collective operations") (kind communication) (mpi collective))

  (event (name divide) (expression "[split], send"))
  (event (name join) (expression "collect, [merge]"))
  (event (name part) (text "a rank's part of a problem") (expression "(fetch+, divide*, solve, join*, return+) | (divide+, solve, join+)")
    (constraints "comes_back"))
  (event (name pause) (expression "between"))
  (related (event divide) (to part) (by send fetch) (as child))
  (related (event part) (to part) (by ordinal) (as all))

  ; The part comes from where its result goes; results come from where parts went. What sends and receives at
  ; once (MPI_Sendrecv) exchanges.
  (attribute (event part) (name comes_back)
    (formula "(fetch.receives > 0 ? return.sends > 0 && fetch.from / fetch.receives == return.to / return.sends : return.sends == 0) && (send.sends > 0 ? collect.receives > 0 && send.to / send.sends == collect.from / collect.receives : collect.receives == 0) && sends + receives > 0 && send.receives + return.receives + fetch.sends + collect.sends == 0"))
  (attribute (event divide) (name work) (formula "split.time"))
  (attribute (event join) (name work) (formula "merge.time"))
  ; Other ranks that get a part; messages beyond one for each.
  (attribute (event part) (name levels) (formula "partners - (fetch.receives > 0 ? 1 : 0)"))
  (attribute (event part) (name surplus) (formula "max(0, send.sends - levels)"))
  (attribute (event part) (name splitting) (formula "divide.work"))
  (attribute (event part) (name merging) (formula "join.work"))
  (attribute (event part) (name solving) (formula "solve.time"))
  (attribute (event part) (name waiting) (formula "fetch.wait + send.wait + collect.wait + return.wait"))
  (attribute (event part) (name moving)
    (formula "fetch.time + send.time + collect.time + return.time - waiting"))
  ; Where work halves from level to level, the first takes as much as all others and the last again: what
  ; the root takes beyond that is not the division's.
  (attribute (event part) (name serial_split)
    (formula "fetch.count == 0 && levels > 1 ? max(0, divide.work.first - (splitting - divide.work.first) / (1 - 2^(1 - levels))) : 0"))
  (attribute (event part) (name serial_merge)
    (formula "fetch.count == 0 && levels > 1 ? max(0, join.work.last - (merging - join.work.last) / (1 - 2^(1 - levels))) : 0"))
  (attribute (event part) (name root_work) (formula "fetch.count == 0 ? splitting + merging : 0"))
  (attribute (event part) (name late) (text "idle until the first part came") (formula "fetch.wait"))
  (attribute (event part) (name early) (text "idle after the own part") (formula "max(0, all.end.max - part.end)"))

  ; ---- Performance.
  (composed (event part) (of splitting solving merging moving waiting) (rest "between calls"))

  ; ---- Metrics.
  (metric (name solving) (text "work on parts") (formula "part.solving.sum"))
  ; Where paradigms are woven, weaving replaces it.
  (metric (name elsewhere) (text "time of paradigms that are woven with this one") (formula "0"))
  (metric (name losing) (text "time without work on parts") (formula "max(0, run - solving - starting - elsewhere)"))
  (metric (name before) (text "idle until the first part came") (formula "part.late.sum") (base losing))
  (metric (name after) (text "idle after the own part") (formula "part.early.sum") (base losing))
  (metric (name dividing) (text "splitting and merging, and waiting for that")
    (formula "min(losing, part.splitting.sum + part.merging.sum + split.delay.sum + merge.delay.sum)") (base losing))
  (metric (name splitting) (text "waiting while others split")
    (formula "max(0, split.delay.sum - (P - 1) * part.serial_split.sum)") (base losing))
  (metric (name merging) (text "waiting while others merge")
    (formula "max(0, merge.delay.sum - (P - 1) * part.serial_merge.sum)") (base losing))
  (metric (name serial) (text "waiting for the root alone")
    (formula "(P - 1) * (part.serial_split.sum + part.serial_merge.sum)") (base losing))
  (metric (name uneven) (text "waiting for larger parts") (formula "min(solve.delay.sum, part.solving.excess, losing - dividing)")
    (base losing))
  (metric (name imbalance) (text "largest part over the mean, less 1") (formula "part.solving.imbalance") (unit ratio))
  (metric (name pausing) (text "collective operations between problems")
    (formula "between.time.sum - between.wait.sum") (base losing))
  ; A message that comes late makes solving late: what is left of all idle time.
  (metric (name moving) (text "moving data, and waiting for that")
    (formula "max(0, losing - outside - dividing - uneven - pausing)") (base losing))
  (metric (name surplus) (text "share of messages beyond one per part")
    (formula "part.surplus.sum / max(1, send.sends.sum)") (unit ratio))
  (metric (name size_share) (text "share of a message's time that depends on its size")
    (formula "per_byte * send.bytes.sum / max(1e-9, per_byte * send.bytes.sum + latency * send.sends.sum)") (unit ratio))
  (metric (name moved_often) (text "moving data beyond one small message per part")
    (formula "moving * (surplus + (1 - surplus) * size_share)") (base moving))
  ; Each problem has its collective operation: larger ones have fewer.
  (metric (name small_parts) (text "messages, whatever their size, and collective operations")
    (formula "moving - moved_often + pausing") (base losing))
  (metric (name grain) (text "solving by splitting, merging and moving")
    (formula "solving / max(1, part.splitting.sum + part.merging.sum + part.moving.sum)") (unit ratio))
  ; Linear split and merge a N: 2 a N (1 - 1/P) of the run are serial, however many ranks.
  (metric (name serial_bound) (text "time that splitting and merging take on the longest way")
    (formula "part.splitting.max + part.merging.max"))
  (composed (metric losing) (of dividing uneven moving pausing) (rest "in no part"))

  ; ---- Inference.
  (node (name tree-idle) (kind symptom) (metric losing) (text "ranks do not work on parts"))
  (node (name dividing-slow) (kind observation) (under tree-idle) (metric dividing) (text "splitting and merging take time"))
  (node (name moving-slow) (kind observation) (under tree-idle) (metric moving) (text "moving data takes time"))
  (node (name serial-near-root) (kind cause) (under dividing-slow) (metric serial) (factor root-work)
    (text "the root works alone before the first split or after the last merge"))
  (node (name costly-split) (kind cause) (under dividing-slow) (metric splitting) (factor split-cost)
    (text "splitting is costly"))
  (node (name costly-merge) (kind cause) (under dividing-slow) (metric merging) (factor merge-cost)
    (text "merging is costly"))
  (node (name uneven-division) (kind cause) (under tree-idle) (metric uneven) (factor division)
    (text "parts are uneven"))
  (node (name too-deep) (kind cause) (under tree-idle) (metric small_parts) (factor depth)
    (text "parts are too small for their messages"))
  (node (name moved-too-often) (kind cause) (under moving-slow) (metric moved_often) (factor data-movement)
    (text "data are moved too often"))
  (factor (name root-work) (removal time) (of split merge)
    (by "max(0, 1 - (part.serial_split.sum + part.serial_merge.sum) / max(1, part.root_work.sum))")
    (remedy "do in parallel what the root does alone, or divide it, too"))
  (factor (name split-cost) (removal time) (of split)
    (remedy "split into {parts} parts at once, or let those who get a part find it themselves"))
  (factor (name merge-cost) (removal time) (of merge) (remedy "merge in parallel, or leave results where they are"))
  (factor (name division) (removal imbalance) (of solve) (remedy "divide by work instead of by size"))
  (factor (name depth) (removal network) (of fetch send collect return)
    (remedy "stop dividing earlier: solving takes {grain} times what a part costs"))
  (factor (name data-movement) (removal network) (of fetch send collect return)
    (remedy "send each part once, and no more of it than is needed"))
  (metric (name parts) (text "parts of a problem") (formula "P") (unit count)))
