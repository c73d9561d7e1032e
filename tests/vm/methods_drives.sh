#: about: methodologies of several drives on two NVMe drives, whole in their smoke form: temperatures, counters and interrupts of each
#: modules: nvme
#: disks: d0=64 d1=128
#: qemu: -object throttle-group,id=l0,x-bps-total=24000000
#: qemu: -blockdev throttle,node-name=t0,throttle-group=l0,file=d0
#: qemu: -object throttle-group,id=l1,x-bps-total=24000000
#: qemu: -blockdev throttle,node-name=t1,throttle-group=l1,file=d1
#: qemu: -device nvme,drive=t0,serial=DRIVES-0 -device nvme,drive=t1,serial=DRIVES-1
#: waiting: real
#: takes_s: 135
# QEMU's NVMe drives say that their link is one slow lane (250 MB/s), and what is faster than that is void: so a limit below it.
nvme_drives 2
small_and_large 131072
drives="$small $large --destroy DRIVES-0 --destroy DRIVES-1"
smoke all-aboard all-aboard $drives
# shares_are_possible FILE: no drive is twice as fast beside the other as alone.
shares_are_possible() {
    grep -o '"median_percent": *[0-9.]*' "$1" | awk '{ if ($2 >= 200) off = 1 } END { exit off }'
}
smoke_until shares_are_possible gpu-feed gpu-feed $drives
smoke capacity-scaling capacity-scaling $drives
no_complaints
