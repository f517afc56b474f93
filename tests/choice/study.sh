# SPDX-License-Identifier: BSD-3-Clause
# Studies with the solvers of this folder: source it behind tap.sh. The clock moves only when told,
# so that times are exact.
cd "$work" || exit 99

# "Fast us=2 fails=big ; symmetric = 1" per line becomes XML; the first is as written.
solver_xml() {
    element=instance
    while read -r class rest; do
        [ -n "$class" ] || continue
        like=${rest%%;*} applies=
        case $rest in *';'*) applies="<applies if=\"${rest#*; }\"/>" ;; esac
        body="<parameter name=\"like\" type=\"string\" value=\"${like% }\"/>"
        if [ $element = instance ]; then
            echo "<instance name=\"solver\" class=\"choice.$class\">$body"
            element=alternative
        else
            echo "<alternative class=\"choice.$class\">$applies$body</alternative>"
        fi
    done
    echo '</instance>'
}

# "vary n 100 200" and "set steps 4" become XML; other lines are XML already.
sweep_xml() {
    sed -E 's#^ *vary (\w+) (.*)#<vary instance="driver" parameter="\1" values="\2"/>#
        s#^ *set (\w+) ?(.*)#<set instance="driver" parameter="\1" value="\2"/>#'
}

# study NAME SOLVERS SWEEP [ATTRIBUTES]: an assembly NAME.xml, and an empty store NAME.db for it.
study() {
    assembly=$work/$1.xml store=$work/$1.db
    cat >"$assembly" <<END
<assembly name="$1">
  <path dir="$BUILD/tests/choice"/>
  <instance name="driver" class="choice.Driver">
    <parameter name="file" type="string" value="m"/>
    <parameter name="n" type="int" value="100"/>
    <parameter name="symmetric" type="int" value="1"/>
    <parameter name="steps" type="int" value="4"/>
    <parameter name="more" type="int" value="0"/>
    <parameter name="list" type="string" value=""/>
    <parameter name="handles" type="bool" value="false"/>
    <parameter name="bound" type="double" value="0"/>
  </instance>
$(echo "$2" | solver_xml)
  <instance name="clock" class="portolan.ManualClock"/>
  <instance name="mastermind" class="portolan.Mastermind">
    <parameter name="store" type="string" value="$1.db"/>
  </instance>
  <instance name="swappoint" class="portolan.SwapPoint"/>
  <instance name="optimizer" class="portolan.Optimizer"/>
  <connect user="driver" uses="solver" provider="solver" provides="solver"/>
  <connect user="solver" uses="work" provider="clock" provides="work"/>
  <connect user="driver" uses="swap" provider="swappoint" provides="swappoint"/>
  <connect user="swappoint" uses="mastermind" provider="mastermind" provides="steps"/>
  <connect user="swappoint" uses="optimizer" provider="optimizer" provides="steps"/>
  <connect user="mastermind" uses="measurement" provider="clock" provides="measurement"/>
  <connect user="optimizer" uses="records" provider="mastermind" provides="records"/>
  <monitor instance="driver" port="go"/>
  <monitor user="driver" uses="solver"/>
  <sweep budget="600">
$(echo "$3" | sweep_xml)
  </sweep>
  <optimizer steps="driver.steps" $4/>
  <go instance="driver" port="go"/>
</assembly>
END
}

# The commands, on $ranks ranks where that matters: n=200 is a parameter of the driver, solver=Fast a
# class to begin with.
ranks=1
portolan() {
    command=$1
    shift
    for word; do
        shift
        case $word in
        -*) ;;
        solver=*) word=--select=solver=choice.${word#*=} ;;
        *) word=--set=driver.$word ;;
        esac
        set -- "$@" "$word"
    done
    set -- "$PORTOLAN" "$command" --store="$store" "$@" "$assembly"
    case $ranks-$command in
    1-* | *-optimize | *-predict) ;;
    *) set -- "$MPIEXEC" -n "$ranks" "$@" ;;
    esac
    try "$@"
}
for command in measure model optimize predict report run; do
    eval "$command() { portolan $command \"\$@\"; }"
done

# chooses NAME CLASS [PATTERN...]: the last `optimize` ended well with this class.
chooses() {
    name=$1 class=$2
    shift 2
    gives "$name" 0 "^  solver +choice.$class( |$)" "$@"
}

# refuses NAME PATTERN...: the last command made no choice, with these words.
refuses() {
    name=$1
    shift
    case $status in 1 | 3) status=refused ;; esac
    gives "$name" refused "$@"
}

# never NAME CLASS: the last `optimize` chose something else, or cannot tell.
never() {
    case $status in 0 | 3) good=0 ;; *) good=1 ;; esac
    [ "$status" != 0 ] || ! grep -Eq "^  solver +choice.$2( |\$)" "$work/out" || good=1
    result "$1" $good
}

# newest NAME EXPECTED COLUMN: of the trial stored last.
newest() {
    stored "$1" "$2" "SELECT $3 FROM trial ORDER BY id DESC LIMIT 1"
}

# swaps NAME EXPECTED: those of the trial stored last, as "0 Safe Fast, 2 Fast Good".
swaps() {
    stored "$1" "$2" "SELECT ifnull(group_concat(step || ' ' || substr(from_implementation, 8) || ' ' ||
        substr(to_implementation, 8), ', '), '') FROM (SELECT * FROM swap
        WHERE trial = (SELECT max(id) FROM trial) AND outcome = 'done' ORDER BY id)"
}

# points NAME EXPECTED CLASS [WHERE]: at how many it was explored.
points() {
    stored "$1" "$2" "SELECT count(DISTINCT n.value || ' ' || s.value || ' ' || f.value)
        FROM trial JOIN trial_implementation i ON i.trial = trial.id AND i.value = 'choice.$3'
        JOIN trial_parameter n ON n.trial = trial.id AND n.name = 'driver.n'
        JOIN trial_parameter s ON s.trial = trial.id AND s.name = 'driver.symmetric'
        JOIN trial_parameter f ON f.trial = trial.id AND f.name = 'driver.file'
        WHERE purpose = 'explore' AND ${4:-1}"
}

# bad_steps NAME EXPECTED: steps of the trial stored last whose worst residual is over 1e-6.
bad_steps() {
    stored "$1" "$2" "SELECT count(DISTINCT step) FROM sample
        WHERE quality > 1e-6 AND trial = (SELECT max(id) FROM trial)"
}

# predicts NAME SECONDS SHARE: the prediction of the last command is that, within this share.
predicts() {
    seen=$(sed -nE 's/^predicted: +([0-9.e+-]+) (ns|us|ms|s|min)( .*)?$/\1 \2/p' "$work/out")
    echo "$seen" | awk -v want="$2" -v share="$3" '
        BEGIN { unit["ns"] = 1e-9; unit["us"] = 1e-6; unit["ms"] = 1e-3; unit["s"] = 1 }
        { x = $1 * unit[$2]; good = x >= want * (1 - share) && x <= want * (1 + share) }
        END { if (!good) print "# predicted " $0 ", want " want " s"; exit !good }'
    result "$1" $?
}
