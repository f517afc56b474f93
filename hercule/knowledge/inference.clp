; SPDX-License-Identifier: BSD-3-Clause
; The rules that every tree is walked with, from symptoms to causes. All branches that exceed their threshold
; are followed. Each rule only adds facts and looks at no fact's absence that another rule could
; change, so that their order changes nothing.

; A node may be judged when it is a root, or when a node above it holds.
(deftemplate reached
  (slot node (type SYMBOL)))

(defrule reach-root
  (branch (from root) (to ?node))
  =>
  (assert (reached (node ?node))))

(defrule reach-branch
  (holds (node ?above))
  (branch (from ?above) (to ?node))
  =>
  (assert (reached (node ?node))))

(defrule hold-above-threshold
  (reached (node ?node))
  (tree (id ?node) (metric ?metric) (threshold ?threshold) (condition yes))
  (measure (id ?metric) (of-run ?share) (spread ?spread) (trust yes))
  (test (and (>= ?share ?threshold) (< ?spread ?share)))
  =>
  (assert (holds (node ?node))))

; What was not measured yet is asked for, if something above it makes it worth while and it may be large.
(defrule ask-for-experiment
  (reached (node ?node))
  (tree (id ?node) (metric ?metric) (experiment ?experiment) (threshold ?threshold) (most ?most))
  (not (measure (id ?metric)))
  (test (>= ?most ?threshold))
  =>
  (assert (request (experiment ?experiment) (node ?node))))

(defrule distrust-measure
  (reached (node ?node))
  (tree (id ?node) (metric ?metric) (threshold ?threshold))
  (measure (id ?metric) (of-run ?share) (trust no) (why ?why))
  (test (>= ?share ?threshold))
  =>
  (assert (cannot-tell (node ?node) (why ?why))))

(defrule distrust-spread
  (reached (node ?node))
  (tree (id ?node) (metric ?metric) (threshold ?threshold) (condition yes))
  (measure (id ?metric) (of-run ?share) (spread ?spread) (trust yes))
  (test (and (>= (+ ?share ?spread) ?threshold) (>= ?spread ?share)))
  =>
  (assert (cannot-tell (node ?node) (why "runs differ by as much as it takes"))))

(defrule distrust-condition
  (reached (node ?node))
  (tree (id ?node) (metric ?metric) (threshold ?threshold) (condition unknown))
  (measure (id ?metric) (of-run ?share))
  (test (>= ?share ?threshold))
  =>
  (assert (cannot-tell (node ?node) (why "what its condition compares was not measured"))))
