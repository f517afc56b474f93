#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What portolan diagnose predicts comes true when the setting is turned back: the examples that take their work from
# a ManualClock, on 8 ranks, to the digit. With TABLE=1 the rows of the table in bench/README.md.
. "$(dirname "$0")/tap.sh"
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'all of it runs elsewhere; eight sanitized ranks take minutes'
plan 6

cd "$work" || exit 99
for a in amr chase; do
    sed -e 's|class="portolan.BusyWork"/>|class="portolan.ManualClock"/>|' -e '/class="portolan.Measurement"/d' \
        -e 's|provider="measurement"|provider="work"|' -e "s|<path dir=\".\"/>|<path dir=\"$BUILD/examples/$a\"/>|" \
        "$BUILD/examples/$a/$a.xml" >$a.xml
done

# diagnose ASSEMBLY SETTING...: into $work/json.
diagnose() {
    assembly=$1
    shift
    "$PORTOLAN" diagnose --json -n 8 -k "$SOURCE/examples/chase" "$@" "$assembly.xml" >"$work/json" 2>"$work/err" </dev/null
}

# check NAME SHARE CAUSE...: these causes are found; all removed, the run is as long as the healthy one, within 0.1 %. SHARE:
# of run time, the first one's by its closed form, in per cent; -: there is none.
check() {
    name=$1
    shift
    python3 - "$work/json" "$work/healthy" "$name" "$@" <<'P'
import json, os, sys
d, healthy = (json.loads(t[t.index("{"):]) for t in (open(f).read() for f in sys.argv[1:3]))
name, share, causes, found = sys.argv[3], sys.argv[4], sys.argv[5:], d["findings"]
assembly = name.split(":")[0]
without = d["together_ns"] if len(found) > 1 else found[0]["without_ns"] if found else d["run_ns"]
error = without / healthy["run_ns"] - 1
first = 100 * found[0]["share"] if found else 0
print("%s %s | %s | %s, %.2f | %.3f, %.3f, %.3f | %+.4f %% |" % (
    "|" if os.environ.get("TABLE") else "#", name, ", ".join(f["cause"] for f in found) or "nothing", share, first,
    d["run_ns"] / 1e6, without / 1e6, healthy["run_ns"] / 1e6, 100 * error))
sys.exit([f["cause"] for f in found] != causes or abs(error) > 1e-3 or
         (assembly == "amr" and d["unexplained"] > 1e-3) or (share != "-" and abs(first - float(share)) > 0.05))
P
    result "$name" $?
}

# A uniform mesh of 16 leaves, 2 for each rank. Strips give 4 to each second rank: half of all time is lost.
set -- --set mesh.levels=2 --set mesh.work=1e-3 --set driver.steps=3
diagnose amr "$@" --select order=amr.Levels
cp "$work/json" "$work/healthy"
check 'amr' 0
diagnose amr "$@" --select order=amr.Strips
check 'amr: order=amr.Strips' 50 balanced_too_seldom

# 100 bulges, 8 ranks, moves of c = 200 us and updates of u = 80 us in the mean. If one has F = 3 times the work of another,
# others have c' = 8 / (7 + F) c, and in 7 rounds, before the last rank has work, a round takes c' + u, then F c' + u.
diagnose chase --set driver.steps=1 --set pipeline.slow=1
cp "$work/json" "$work/healthy"
check 'chase' 0
diagnose chase --set driver.steps=1 --set pipeline.slow=3
check 'chase: slow=3' "$(python3 -c 'c = 160; u = 80; print(round(
    100 * 7 * 100 * 2 * c / (8 * (7 * (c + u) + 100 * (3 * c + u))), 2))')" slow-stage
diagnose chase --set driver.steps=1 --set pipeline.slow=1 --set blocks.uneven=2
check 'chase: uneven=2' - rows.static-imbalance
cp "$work/json" "$work/healthy" # of which only the other setting is turned back
diagnose chase --set driver.steps=1 --set pipeline.slow=3 --set blocks.uneven=2
check 'chase: uneven=2, slow=3' - slow-stage
