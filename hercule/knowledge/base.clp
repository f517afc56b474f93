; SPDX-License-Identifier: BSD-3-Clause
; What every paradigm has: the thresholds. Shares of the run's time (ranks times run time), unless said.
(deffacts base
  (paradigm (name base) (text "what every paradigm has"))
  (threshold (name symptom) (value 0.02) (text "a symptom is looked into from here"))
  (threshold (name observation) (value 0.02) (text "a branch is followed from here"))
  (threshold (name cause) (value 0.02) (text "a cause is considered from here"))
  (threshold (name gain) (value 0.02) (text "a cause whose removal gains less is no finding"))
  (threshold (name communication) (value 0.20) (text "communication that is a symptom by itself"))
  (threshold (name unexplained) (value 0.05) (text "a symptom of this size needs a cause, or it cannot be told"))
  (threshold (name fit) (value 0.90) (text "share of a component's time that must fit its events"))
  (threshold (name runs) (value 0.05) (text "by which runs of one diagnosis may differ"))
  (threshold (name recording) (value 0.2) (text "what may be wrong of the time that recording took"))
  (threshold (name replay_error) (value 0.05) (text "by which the replay may miss the run")))
