; SPDX-License-Identifier: BSD-3-Clause
; Parallel recursive tree, after Li and Malony, IPDPS 2007, section 5.1: blocks are the nodes of a tree and lie
; on ranks along a space-filling curve. What a block fetches from its parent, its children or its neighbours of
; the same level takes time where these lie on other ranks.
(deffacts prt
  (paradigm (name prt) (text "parallel recursive tree"))

  ; 1. Behaviour. MPI_* programs bind these by <part>, or name phases by MPI_Pcontrol.
  (component (name to_parent) (text "parent") (kind communication) (phase "parent")
             (values links leaving leaving_on_curve))
  (component (name to_child) (text "child") (kind communication) (phase "child")
             (values links leaving leaving_on_curve))
  (component (name to_sibling) (text "sibling") (kind communication) (phase "sibling")
             (values links leaving leaving_on_curve))
  (component (name build_tree) (text "building the tree") (kind communication) (phase "tree"))
  (component (name work) (text "work on blocks") (kind computation))
  (event (name fetch) (text "data come from the tree")
         (expression "to_parent | to_sibling | to_child"))
  (event (name operation) (text "one operation on the tree")
         (expression "[build_tree], (work | fetch)+"))

  ; 3. Metrics, and 2. performance: what they are made of.
  (metric (name data) (text "data between blocks") (base run)
          (formula "to_parent.mpi.sum + to_sibling.mpi.sum + to_child.mpi.sum"))
  (metric (name building) (text "tree connection") (base run) (formula "build_tree.mpi.sum"))
  (composed (metric run) (of data building))
  (metric (name parent) (text "parent") (base data) (formula "to_parent.mpi.sum"))
  (metric (name sibling) (text "sibling") (base data) (formula "to_sibling.mpi.sum"))
  (metric (name child) (text "child") (base data) (formula "to_child.mpi.sum"))
  (composed (metric data) (of parent sibling child))
  (metric (name between_levels) (text "data between levels") (base run)
          (formula "to_parent.mpi.sum + to_child.mpi.sum"))
  (metric (name within_levels) (text "data within levels") (base run)
          (formula "to_sibling.mpi.sum"))

  ; Of the links between blocks, where the program reports how many there are, leave their rank, and would leave it
  ; if contiguous pieces of the space-filling curve were the ranks': in percent.
  (metric (name level_links) (unit count) (formula "to_parent.links.sum + to_child.links.sum"))
  (metric (name levels_leaving) (unit ratio)
          (formula "ceil(100 * (to_parent.leaving.sum + to_child.leaving.sum) / level_links - 0.5)"))
  (metric (name levels_leaving_on_curve) (unit ratio)
          (formula "ceil(100 * (to_parent.leaving_on_curve.sum + to_child.leaving_on_curve.sum) / level_links - 0.5)"))
  (metric (name siblings_leaving) (unit ratio)
          (formula "ceil(100 * to_sibling.leaving.sum / to_sibling.links.sum - 0.5)"))
  (metric (name siblings_leaving_on_curve) (unit ratio)
          (formula "ceil(100 * to_sibling.leaving_on_curve.sum / to_sibling.links.sum - 0.5)"))

  ; 4. Inference.
  (node (name data) (text "data between blocks") (kind symptom) (metric data) (most "mpi"))
  (node (name parent) (kind observation) (under data) (metric parent))
  (node (name sibling) (kind observation) (under data) (metric sibling))
  (node (name child) (kind observation) (under data) (metric child))
  (node (name inter_level) (text "inter-level contiguity") (kind cause) (under parent child)
        (metric between_levels) (factor inter_level))
  (node (name intra_level) (text "intra-level contiguity") (kind cause) (under sibling)
        (metric within_levels) (factor intra_level))
  (node (name building) (text "tree connection") (kind symptom) (metric building) (most "mpi"))
  (node (name rebuilt) (text "the tree is connected anew too often") (kind cause) (under building)
        (metric building) (factor rebuild))
  (factor (name inter_level) (text "blocks of neighbouring levels lie on different ranks")
          (removal distance) (of to_parent to_child)
          (evidence "{levels_leaving} % of pairs of parent and child lie on two ranks"
                    "{levels_leaving_on_curve} % would in the order of the curve")
          (remedy "keep children with their parents: improve block contiguity at the inter-level of the tree"))
  (factor (name intra_level) (text "neighbouring blocks of one level lie on different ranks")
          (removal distance) (of to_sibling)
          (evidence "{siblings_leaving} % of pairs of neighbours lie on two ranks"
                    "{siblings_leaving_on_curve} % would in the order of the curve")
          (remedy "keep neighbours together: improve block contiguity at the intra-level of the tree"))
  (factor (name rebuild) (text "connections between blocks are built anew each time")
          (removal time) (of build_tree)
          (remedy "keep the lists of neighbours until the tree changes")))
