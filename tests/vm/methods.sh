#: about: methodologies on an NVMe drive, whole in their smoke form: its temperature, watts of a meter, its one power state, wear asked about
#: modules: nvme
#: disks: d0=64
#: qemu: -object throttle-group,id=l0,x-bps-total=24000000
#: qemu: -blockdev throttle,node-name=t0,throttle-group=l0,file=d0
#: qemu: -device nvme,drive=t0,serial=METHODS-0
#: waiting: real
#: takes_s: 180
# QEMU's NVMe drives say that their link is one slow lane (250 MB/s), and what is faster than that is void: so a limit below it.
nvme_drives 1
drive="/dev/nvme0n1 --destroy METHODS-0"

# A drive that bears 1 GiB: what the smoke forms write is more than 1 % of that. Nothing may be written before somebody says yes,
# neither in a run by itself nor under conditions, and with yes it goes on.
drive_facts endurance="1 GiB"
settled
before=$(written)
said ask.run drivelab run heat-soak $drive --form smoke
said ask.arms drivelab run power-states $drive --form smoke
said ask.dry drivelab run power-states $drive --form smoke --dry-run --json
settled
[ "$before" = "$(written)" ] || complain "written although nobody said yes: $before / $(written)"

meter /tmp/watts 5
watched="--yes --power-file /tmp/watts --telemetry 0.1"
smoke heat-soak heat-soak $drive $watched
# has_watts FILE: whether the meter was read during one of the tests. On a busy host all of them can end between two readings.
has_watts() {
    awk '/"address": "[^"]*:power.mean"/ && !/prepare/ { row = 1 } row && /"value":/ { if (/[0-9]/) found = 1; row = 0 } END { exit !found }' "$1"
}
smoke_until has_watts power-states power-states $drive $watched
smoke_until has_watts write-amplification write-amplification $drive $watched
# A moment of 64 threads on one emulated CPU can pass between two readings of the meter; some seconds cannot.
said heated drivelab run heat-soak $drive $watched --form quick --set time=4s --json
kill $meter
no_complaints
