(deffacts (metric (name x) (formula "1 +")) "open
(defrule ) ( ; ) (paradigm (name a) (name b)) (x
