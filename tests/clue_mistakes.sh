#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Mistakes of a program are told by rank, call, line and time, with MPI's own words; ends of
# programs have the exit statuses that they have elsewhere.
. "$(dirname "$0")/tap.sh"
[ "$MPI" = mpich ] || skip_all "virtual time needs MPICH's header"
[ -z "${PORTOLAN_SANITIZED:-}" ] || skip_all 'ranks are folded'
plan 47

machine=$SOURCE/examples/clue/machines/gigabit.xml
program=$SOURCE/clue/mpi/test/mistakes.c
"$MPICC" -g -O0 -w "$program" -o "$work/mistakes" || exit 99

# mistake NAME STATUS PATTERN...: in patterns @LABEL@ is the line with the comment LABEL
mistake() {
    mistake_name=$1 mistake_status=$2
    shift 2
    try "$PORTOLAN" clue run -m "$machine" --compute none --no-trial -n 2 -- "$work/mistakes" "$mistake_name"
    for pattern; do
        label=$(printf '%s' "$pattern" | sed -n 's/.*@\(.*\)@.*/\1/p')
        line=$(grep -n "/\* $label \*/" "$program" | cut -d: -f1)
        [ -z "$label" ] || pattern=$(printf '%s' "$pattern" | sed "s/@.*@/mistakes.c:$line /")
        shift
        set -- "$@" "$pattern"
    done
    gives "$mistake_name" "$mistake_status" "$@"
}

mistake root 1 'rank 1 in MPI_Bcast at @root@' \
    'calls MPI_Bcast\(root 1, 8 bytes\), .* number 2 .* MPI_Bcast\(root 0, 8 bytes\) on rank 0, at @root@'
mistake size 1 'MPI_Allreduce\(.*16 bytes\).* MPI_Allreduce\(.*8 bytes\) on rank 0, at @size@'
mistake operation 1 'operation 0x58000003.*operation 0x58000001'
mistake order 1 'calls MPI_Barrier\(.*was MPI_Bcast\(root 0'
mistake made 1 'rank 1 in MPI_Comm_dup at @made@' 'calls MPI_Comm_dup\(\), .* number 2 .* MPI_Barrier\(\) on rank 0'
mistake end 1 'rank 1 in MPI_Bcast at @end@' 'calls MPI_Bcast\(root 1, .*was MPI_Finalize\(\) on rank 0'
mistake neighbours 1 'MPI_Neighbor_alltoall at @neighbours@' 'differ.*was MPI_Neighbor_allgather'
mistake groups 1 'MPI_Bcast\(root .*, 8 bytes\).* number 2 .*MPI_Bcast\(root .*, 4 bytes\)|, 4 bytes.*, 8 bytes'
mistake roots 1 'collectives differ.*MPI_Bcast\(root 0.*MPI_Bcast\(root 0'
mistake buffer 1 'rank 1 in MPI_Bsend at @buffer@.*Invalid buffer.*no buffer is attached'
mistake detach 1 'rank 1 in MPI_Buffer_detach at @detach@.* waits for rank 0 to receive 4194304 bytes'
mistake room 1 'rank 1 in MPI_Bsend at @room@.*buffer of 8388608, 4194'
mistake child 0 'process that rank 1 has forked calls MPI_Send' 'child 1'
mistake missing 1 'deadlock: 2 ranks' 'rank 1 in MPI_Allreduce at @missing@' \
    'rank 0 in MPI_Recv at @never sent@.* for rank 1 to send, tag 4'
mistake circle 1 'deadlock: 2 ranks wait for each other' \
    'rank 0 in MPI_Send at @circle@.* for rank 1 to receive 8388608 bytes' \
    'rank 1 in MPI_Send at @circle@.* for rank 0 to receive 8388608 bytes'
mistake receives 1 'rank 0 in MPI_Recv at @receives@' 'rank 1 in MPI_Recv at @receives@'
mistake tag 1 'rank 1 in MPI_Recv at @tag@.*tag 6; it does not take the one from rank 0, tag 5, 8 bytes'
mistake gone 1 'deadlock: 1 rank waits' 'rank 1 in MPI_Wait at @gone@.* rank 0, which has ended'
mistake itself 1 'deadlock: rank 0 waits for itself' 'rank 0 in MPI_Recv at @itself@.*rank 0 to send' \
    'and 1 other waits'
mistake any 1 'rank 0 in MPI_Recv at @any@.*waits for any rank to send'
mistake polls 0 'warning: a deadlock.* 200000 polls' 'rank 1 in MPI_Test at @polls@.* asks again and again' \
    'rank 0 in MPI_Finalize .* waits for rank 1$'
mistake naps 0 'warning: a deadlock.* 200000 polls' 'rank 1 in MPI_Iprobe at @probes@.* asks again' \
    'rank 0 in MPI_Finalize .* waits for rank 1$'
mistake probes 0 'warning: a deadlock' 'rank 0 in MPI_Iprobe at @probes@.* asks' 'rank 1 in MPI_Iprobe at @probes@.* asks'
mistake probe 1 'rank 1 in MPI_Probe at @probe@.*any rank to send, tag 3'
mistake clock 1 'rank 0 in MPI_Wtime at @clock@.*a clock that does not move'
mistake truncation 1 'rank 1 in MPI_Recv at @truncation@.*truncated.*32 bytes from rank 0, tag 3, .* 16 bytes'
mistake ready 0 '^mistake +1 ready send came before the receive'
mistake unreceived 0 '^mistake +1 message was never received' \
    '^mistake +rank 1 never received from rank 0, tag 7, 8 bytes'
mistake request 0 '^mistake +rank 0 .*1 request was never completed' '^mistake +rank 1'
mistake rank 1 'rank 1 in MPI_Send at @rank@.*rank is 7, but must be from 0 to 1'
mistake count 1 'rank 0 in MPI_Send at @count@.*count is -1'
mistake fault 139 'rank 1 after MPI_Barrier .*, at .* us: .*signal 11 \(Segmentation fault\) at @fault@'
mistake abort 134 'rank 1 .*abort\(\)'
mistake heap 134 'rank 1 .*signal 6 \(Aborted\)'
mistake damage 134 'rank 1 .*signal 6.*heap is damaged'
mistake MPI_Abort 3 'rank 1 in MPI_Abort at @MPI_Abort@.*status 3'
mistake exit 5
mistake return 4
mistake twice 1 'in MPI_Finalize at @twice@.*after MPI_Finalize'

# Fortran calls by bindings: told is the program's line, not theirs. STOP prints nothing else.
cat >"$work/wrong.f90" <<'END'
program wrong
  use MODULE
  implicit none
  integer :: ierr, rank, i, got(50)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  do i = 1, 50
    if (rank == 0) call MPI_Ssend(got, i, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, ierr)
    if (rank == 1) call MPI_Recv(got, 50, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end do
  if (rank == 0) stop
  call MPI_Recv(got, 50, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
end program
END
for way in "mpi --quiet" "mpi_f08 --quiet" "mpi --apart"; do
    if ! command -v mpifort.mpich >/dev/null; then
        result "a line of Fortran ($way) # SKIP no mpifort.mpich" 0
        continue
    fi
    sed "s/MODULE/${way% *}/" "$work/wrong.f90" >"$work/wrong_too.f90"
    mpifort.mpich -g "$work/wrong_too.f90" -o "$work/wrong" 2>/dev/null
    try "$PORTOLAN" clue run -m "$machine" --compute none --no-trial -n 2 "${way#* }" -- "$work/wrong"
    gives "a line of Fortran ($way)" 1 'rank 1 in MPI_Recv at wrong_too.f90:12 .*rank 0, which has ended'
    count "and nothing else ($way)" 0 'floating-point'
done

# All that a run says is the same in another folder, and beside others.
run() {
    mkdir "$work/$1"
    (cd "$work/$1" && "$PORTOLAN" clue run -m "$machine" --compute none -n 8 --json json --calls calls \
        --trace trace --otf2 run.otf2 -- "$work/collectives" 5 60 >out 2>report
    sed '/^took/d' report >text
    rm report run.otf2) # which has a number that OTF2 draws for each archive
}
"$MPICC" -O1 -w "$SOURCE/clue/mpi/test/collectives.c" -o "$work/collectives" || exit 99
run one
(while :; do :; done) &
run two
kill $!
rm "$work"/*/portolan.db*
diff -rq "$work/one" "$work/two" | head | sed 's/^/# /'
diff -r "$work/one" "$work/two" >/dev/null && [ -s "$work/one/calls" ]
result 'two runs say the same, byte by byte' $?

# Every fault leaves nothing behind.
mkdir "$work/temporary" "$work/empty"
(cd "$work/empty" && TMPDIR=$work/temporary && export TMPDIR &&
    "$PORTOLAN" clue run -n 2 --compute none -- "$work/mistakes" fault 2>/dev/null)
result 'a run that ends early leaves nothing behind' "$(find "$work/temporary" "$work/empty" -type f | wc -l)"
