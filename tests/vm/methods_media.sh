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
#: limit_s: 900
# QEMU's NVMe drives say that their link is one slow lane (250 MB/s), and what is faster than that is void: so a limit below it.
modprobe nvme_core io_timeout=5
modprobe nvme
wait_for -b /dev/nvme0n1
wait_for -b /dev/nvme1n1
export DRIVELAB_DATA=/tmp/data
for kind in FDP OCP; do
    drive=$(basename "$(dirname "$(grep -l "MEDIA-$kind" /sys/class/nvme/nvme*/serial)")")n1
    said show.$kind drivelab show /dev/$drive --json
    smoke methods.$kind write-amplification /dev/$drive --destroy MEDIA-$kind
    # The smoke form writes too little for a figure: 600 MiB are enough.
    drivelab io /dev/$drive --destroy MEDIA-$kind --op write --pattern sequential --block 1m --qd 8 \
        --bytes 600MiB --ramp 0s --quiet || complain "600 MiB were not written to $drive"
    said waf.$kind drivelab results show --last --json
done
no_complaints
