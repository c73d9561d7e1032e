#: about: what buyers and reviewers ask of an NVMe drive: check, genuine, data-sheet and anandtech-2018 whole in their smoke form; power at rest
#: modules: nvme
#: disks: d0=64 d1=1024
#: qemu: -object throttle-group,id=l0,x-bps-total=24000000
#: qemu: -blockdev throttle,node-name=t0,throttle-group=l0,file=d0
#: qemu: -object throttle-group,id=l1,x-bps-total=200000000
#: qemu: -blockdev throttle,node-name=t1,throttle-group=l1,file=d1
#: qemu: -device nvme,drive=t0,serial=BUYER-0 -device nvme,drive=t1,serial=BUYER-1
#: waiting: real
#: takes_s: 150
# QEMU's NVMe drives say that their link is one slow lane (250 MB/s), and what is faster than that is void: so a limit below it.
# The slower one leaves time for readings to the smoke form's steps of 8 MiB.
nvme_drives 2
small_and_large 131072
drive="$small --destroy BUYER-0"

drive_facts sequential_read="20 MB/s" power_active="5 W" endurance="1 TB"

# Nothing is released for what only reads.
settled
before=$(written)
said buyer drivelab check $small --json
smoke check check $small
settled
[ "$before" = "$(written)" ] || complain "a check wrote: $before / $(written)"
smoke genuine genuine $drive

meter /tmp/watts 5
watched="--power-file /tmp/watts --telemetry 0.1"
# has_power FILE: whether the meter was read while the power was measured.
has_power() {
    awk '/"figure": "power_active"/ { row = 1 } row && /"measured":/ { found = !/null/; exit } END { exit !found }' "$1"
}
smoke_until has_power data-sheet data-sheet $drive $watched
smoke anandtech-2018 anandtech-2018 $drive $watched
# The smoke form has no rests: power at rest and the latency of waking up need the quick form, here with shorter rests.
said idle drivelab run anandtech-2018 $large --destroy BUYER-1 --profile idle --form quick --set rest=2s --set rounds=2 \
    $watched --json
kill $meter
no_complaints
