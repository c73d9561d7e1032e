#: about: a run that is stopped after some steps and resumed, for tests/golden
#: modules: nvme
#: disks: d0=64
#: qemu: -object throttle-group,id=l0,x-bps-total=200000000
#: qemu: -blockdev throttle,node-name=t0,throttle-group=l0,file=d0
#: qemu: -device nvme,drive=t0,serial=GOLDEN-0
#: waiting: real
#: takes_s: 60
#: by_hand: yes
nvme_drives 1
drive="/dev/nvme0n1 --destroy GOLDEN-0"
meter /tmp/watts 5
# A process in the background ignores SIGINT, so SIGTERM stops it.
drivelab run quick $drive --power-file /tmp/watts --telemetry 0.1 --form smoke --events json > /tmp/events &
run=$!
while [ "$(grep -c '"step_ended"' /tmp/events)" -lt 8 ]; do
    usleep 20000
done
kill -TERM $run
ended=0
wait $run || ended=$?
[ "$ended" -eq 7 ] || complain "the run ended with $ended and was to be interrupted"
said resumed drivelab resume --last --destroy GOLDEN-0 --json
[ "$(cat "$RESULTS/resumed.code")" -eq 0 ] || complain "it was not resumed: $(tail -n 3 "$RESULTS/resumed.said")"
kill $meter
no_complaints
