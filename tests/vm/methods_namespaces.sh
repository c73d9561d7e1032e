#: about: write-amplification on an NVMe drive of two namespaces: the second is read while the first is written, and is never written
#: modules: nvme
#: disks: d0=64 d1=32
#: qemu: -object throttle-group,id=l0,x-bps-total=24000000
#: qemu: -blockdev throttle,node-name=t0,throttle-group=l0,file=d0
#: qemu: -device nvme-subsys,id=s0,nqn=namespaces -device nvme,id=c0,serial=NAMESPACES-0,subsys=s0
#: qemu: -device nvme-ns,bus=c0,drive=t0,nsid=4,shared=off -device nvme-ns,bus=c0,drive=d1,nsid=7,shared=off
#: waiting: real
#: takes_s: 50
# QEMU's NVMe drives say that their link is one slow lane (250 MB/s), and what is faster than that is void: so a limit below it.
# Without native multipath, whose disks older kernels do not count (Linux 6.1): what is told here are the disks' own counters.
modprobe nvme_core io_timeout=5 multipath=N
modprobe nvme
export DRIVELAB_DATA=/tmp/data

# numbered NSID: the kernel's name of the namespace with this number; the number in that name is another one.
numbered() {
    basename "$(dirname "$(grep -lx "$1" /sys/block/nvme*/nsid)")"
}

# counted NAME: the kernel's counters of the namespace that must not be written, as they are now.
counted() {
    cat "/sys/block/$beside/stat" > "$RESULTS/stat.$1"
}

wait_for -b /dev/nvme0n2
tested=$(numbered 4)
beside=$(numbered 7)
echo "$beside" > "$RESULTS/beside"
yes "a line of text that is read and stays" | head -c $((32 * 1048576)) |
    dd of="/dev/$beside" bs=1M iflag=fullblock oflag=direct 2> /dev/null
drive="/dev/$tested --destroy NAMESPACES-0"

settled
counted made
said dry drivelab run write-amplification $drive --form smoke --dry-run --json
said plan drivelab methods plan write-amplification "/dev/$tested"
noted "/dev/$beside"
counted before
smoke namespaces write-amplification $drive
counted after
# The same as a load of flags, beside writes of the first namespace.
said io drivelab io $drive --op write --block 4k --qd 4 --time 2s --ramp 0s --no-save --json \
    --group 'name=readers on="other_namespace" op=read queue_depth=1'
counted io
# What would write there is refused by the language.
said refused drivelab io $drive --op read --block 4k --qd 4 --time 2s --no-save --group 'name=writers on="other_namespace" op=write'
counted refused
unchanged
no_complaints
