(deffacts w (paradigm (name both) (is-a amr)) (component (name x))
 (weave (paradigm prt) (as p) (expression "solve, p.to_parent+, [x | p.work]")))
