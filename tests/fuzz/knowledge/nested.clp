; SPDX-License-Identifier: BSD-3-Clause
; AMR whose blocks are in a parallel recursive tree, as FLASH has it: Li and Malony, IPDPS 2007, section 5.
(deffacts amr_prt
  (paradigm (name "amr{prt}") (text "adaptive mesh refinement on a parallel recursive tree") (is-a amr))
  (nest (component restriction) (paradigm prt))
  (nest (component guard_data) (paradigm prt))
  (nest (component prolongation) (paradigm prt)))
