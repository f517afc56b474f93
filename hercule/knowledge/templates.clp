; SPDX-License-Identifier: BSD-3-Clause
; The words that files of knowledge are written with; portolan-paradigm(5) explains them.
; Every file of knowledge is read with these templates, and so are the rules.

; ---- What a file says.

(deftemplate paradigm
  (slot name (type SYMBOL STRING))
  (slot text (type STRING))
  (multislot is-a (type SYMBOL STRING)))

; 1. Behaviour.
(deftemplate component
  (slot name (type SYMBOL STRING))
  (slot text (type STRING))
  (slot kind (type SYMBOL) (allowed-symbols communication computation))
  (slot within (type SYMBOL STRING) (default ""))  ; an operation that this one is a part of
  (multislot mpi (type SYMBOL STRING))             ; what it is in a program that binds nothing:
  (slot tag (type INTEGER) (default -1))           ; calls, a tag, a communication partner,
  (slot to (type SYMBOL STRING) (default ""))      ; a phase
  (slot phase (type STRING))
  (multislot values (type SYMBOL STRING)))         ; numbers that the program reports in it

(deftemplate event
  (slot name (type SYMBOL STRING))
  (slot text (type STRING))
  (slot expression (type STRING))
  (slot constraints (type STRING)))

(deftemplate attribute
  (slot event (type SYMBOL STRING))
  (slot name (type SYMBOL STRING))
  (slot text (type STRING))
  (slot formula (type STRING)))

(deftemplate related
  (slot event (type SYMBOL STRING))
  (slot to (type SYMBOL STRING))
  (multislot by (type SYMBOL STRING))              ; a component of EVENT and one of TO, between which
                                                   ; a message went; or ordinal, before, after
  (slot as (type SYMBOL STRING)))

; 2. Performance: the parts of a whole, each nanosecond once in each view.
(deftemplate composed
  (slot event (type SYMBOL STRING) (default ""))   ; of the attributes of an event …
  (slot metric (type SYMBOL STRING) (default ""))  ; … or of metrics
  (slot view (type STRING))
  (multislot of (type SYMBOL STRING))
  (slot rest (type STRING) (default "unexplained")))

; 3. Metrics.
(deftemplate metric
  (slot name (type SYMBOL STRING))
  (slot text (type STRING))
  (slot formula (type STRING))
  (slot base (type SYMBOL STRING) (default run))   ; what a share is a share of
  (slot unit (type SYMBOL) (allowed-symbols time ratio count bytes) (default time))
  (slot experiment (type SYMBOL) (allowed-symbols profile operations trace) (default trace)))

; 4. Inference.
(deftemplate node
  (slot name (type SYMBOL STRING))
  (slot text (type STRING))
  (multislot under (type SYMBOL STRING))
  (slot kind (type SYMBOL) (allowed-symbols symptom observation cause))
  (slot metric (type SYMBOL STRING))
  (slot threshold (type SYMBOL STRING) (default "")) ; its kind's
  (slot condition (type STRING))                   ; a formula that is true when the node may hold
  (slot most (type STRING))                        ; a formula that its metric is not above
  (slot factor (type SYMBOL STRING) (default "")))

(deftemplate factor
  (slot name (type SYMBOL STRING))
  (slot text (type STRING))
  (slot removal (type SYMBOL) (default none))        ; what replay takes away
  (multislot of (type SYMBOL STRING))              ; the components that the removal changes
  (slot by (type STRING))                          ; factor of time, or messages that become one
  (multislot evidence (type STRING))               ; said where all its {metrics} are known
  (slot remedy (type STRING)))                     ; {metric} stands for its value

(deftemplate threshold
  (slot name (type SYMBOL STRING))
  (slot text (type STRING))
  (slot value (type NUMBER)))

; Composition: the paradigm inherits the host by is-a.
(deftemplate nest
  (slot component (type SYMBOL STRING))
  (slot paradigm (type SYMBOL STRING)))

(deftemplate weave
  (slot paradigm (type SYMBOL STRING))
  (slot as (type SYMBOL STRING) (default ""))      ; prefix of the guest's names; its own name
  (slot expression (type STRING)))                 ; one instance of both

; ---- What rules see and say while a run is diagnosed. `id` is the name in the composed paradigm,
; `name` the one of the file; `context` is where a nested or woven paradigm works, else none.

; A metric that was measured. `value` in the metric's unit; `share` of its base, `of-run` of the run.
(deftemplate measure
  (slot id (type SYMBOL))
  (slot name (type SYMBOL))
  (slot context (type SYMBOL) (default none))
  (slot value (type FLOAT))
  (slot share (type FLOAT) (default 0.0))
  (slot of-run (type FLOAT) (default 0.0))
  (slot spread (type FLOAT) (default 0.0))         ; of of-run: half of the interval of 95 %
  (slot samples (type INTEGER) (default 1))
  (slot trust (type SYMBOL) (allowed-symbols yes no) (default yes))
  (slot why (type STRING)))                        ; it is not trusted

; A node of the tree. Its metric's `of-run` is held against the threshold.
(deftemplate tree
  (slot id (type SYMBOL))
  (slot name (type SYMBOL))
  (slot context (type SYMBOL) (default none))
  (slot kind (type SYMBOL))
  (slot metric (type SYMBOL))                      ; its id
  (slot threshold (type FLOAT))
  (slot condition (type SYMBOL) (allowed-symbols yes no unknown) (default yes))
  (slot most (type FLOAT) (default 1.0))           ; what `of-run` is at most
  (slot experiment (type SYMBOL)))                 ; the first that measures its metric
(deftemplate branch
  (slot from (type SYMBOL))                        ; root: the node is one
  (slot to (type SYMBOL)))

; What rules conclude: nodes by their id.
(deftemplate holds
  (slot node (type SYMBOL))
  (slot rule (type SYMBOL) (default threshold)))
(deftemplate request
  (slot experiment (type SYMBOL) (allowed-symbols profile operations trace))
  (slot node (type SYMBOL)))                       ; that could then be judged
(deftemplate cannot-tell
  (slot node (type SYMBOL))
  (slot why (type STRING)))
