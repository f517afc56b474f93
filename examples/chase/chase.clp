; SPDX-License-Identifier: BSD-3-Clause
; A pipeline woven into a decomposition: in each round a block of the pipeline, then an iteration of the decomposition.
(deffacts chase
  (paradigm (name chase) (text "a pipeline woven into a decomposition") (is-a pipeline))
  (weave (paradigm geometric) (as rows) (expression "(sweep | rows.iteration)+, [complete]"))
  (event (name sweep) (text "with the iterations between its blocks") (expression "(block, rows.iteration)+")
    (constraints "same(direction), long")))
