#: about: write amplification by the counters of FDP statistics and of the OCP log, with QEMU of Debian's backports
#: emulator: backports
#: modules: nvme
#: disks: d0=64 d1=64
#: qemu: -object throttle-group,id=l0,x-bps-total=40000000
#: qemu: -blockdev throttle,node-name=t0,throttle-group=l0,file=d0
#: qemu: -object throttle-group,id=l1,x-bps-total=40000000
#: qemu: -blockdev throttle,node-name=t1,throttle-group=l1,file=d1
#: qemu: -device nvme-subsys,id=s0,nqn=fdp0,fdp=on,fdp.runs=8M,fdp.nrg=2,fdp.nruh=4
#: qemu: -device nvme,serial=MEDIA-FDP,subsys=s0,id=n0
#: qemu: -device nvme-ns,bus=n0,drive=t0,nsid=1,fdp.ruhs=1;3;0
#: qemu: -device nvme,serial=MEDIA-OCP,drive=t1,ocp=on
#: waiting: real
#: takes_s: 130
# QEMU's NVMe drives say that their link is one slow lane (250 MB/s), and what is faster than that is void: so a limit below it.
nvme_drives 2
for kind in FDP OCP; do
    drive=$(basename "$(dirname "$(grep -l "MEDIA-$kind" /sys/class/nvme/nvme*/serial)")")n1
    said show.$kind drivelab show /dev/$drive --json
    smoke methods.$kind write-amplification /dev/$drive --destroy MEDIA-$kind
    # The smoke form writes too little for a figure: 600 MiB are enough.
    drivelab io /dev/$drive --destroy MEDIA-$kind --op write --pattern sequential --block 1m --qd 8 \
        --bytes 600MiB --ramp 0s --quiet || complain "600 MiB were not written to $drive"
    said waf.$kind drivelab results show --last --json
done
# Placed writes: what the drive says of its reclaim units before and after tells by which handle they went.
drive_of() { basename "$(dirname "$(grep -l "MEDIA-$1" /sys/class/nvme/nvme*/serial)")"; }
fdp=/dev/$(drive_of FDP)n1
place() {
    drivelab io $fdp --destroy MEDIA-FDP --op write --ramp 0s --quiet "$@" || complain "not placed: $*"
}
said place.0 drivelab show $fdp --json
place --pattern sequential --block 1m --qd 2 --bytes 3MiB --placement-handle 2
said place.1 drivelab show $fdp --json
# Read back as it is written, by another way than it was written.
place --pattern sequential --block 64k --bytes 1MiB --verify at-once --placement-handle 1
said place.2 drivelab show $fdp --json
place --pattern random --block 4k --qd 4 --bytes 512KiB
said place.3 drivelab show $fdp --json
drivelab io $fdp --destroy MEDIA-FDP --op write --placement-handle 2 --block 4k --bytes 64KiB --ramp 0s --json \
    --trace "$RESULTS/place.trace" \
    > "$RESULTS/place.io" || complain "no document of placed writes"
wrong() {
    wrong_name=$1
    shift
    said "wrong.$wrong_name" drivelab io "$@" --op write --bytes 1MiB --quiet
}
said wrong.before drivelab show $fdp --json
wrong number $fdp --destroy MEDIA-FDP --placement-handle 3
wrong backend $fdp --destroy MEDIA-FDP --placement-handle 1 --backend uring
wrong dry $fdp --destroy MEDIA-FDP --placement-handle 3 --dry-run
wrong drive /dev/$(drive_of OCP)n1 --destroy MEDIA-OCP --placement-handle 1
said wrong.after drivelab show $fdp --json
no_complaints
