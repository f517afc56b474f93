(deffacts r (paradigm (name r) (is-a prt)) (own 1 "a \" b" (create$ 1 2)))
(defrule one (declare (salience 3)) (measure (name data) (share ?s&:(> ?s 0.5))) (own ?x $?y) (not (own 2))
  => (bind ?z (+ ?x 1)) (if (> ?z 1) then (assert (holds (node data) (rule one)))) (while (< ?z 3) do (bind ?z (+ ?z 1))))
