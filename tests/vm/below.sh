#: about: others that load the disk below LUKS, LVM, multipath and md are seen, and every figure is marked; alone none is
#: modules: null_blk dm-mod dm-crypt aesni_intel xts ecb crc32c_generic raid1 dm-multipath dm-round-robin
#: programs: cryptsetup dmsetup lvm mdadm
#: waiting: real
#: memory_mib: 768
# Two disks in memory that keep what is written. On each stack drivelab reads at a low, fixed rate, once alone and once
# while dd reads the first disk below it as fast as it can, and then beside dd without a rate.
modprobe null_blk nr_devices=0
for module in dm-mod dm-crypt aesni_intel xts ecb crc32c_generic raid1 dm-multipath dm-round-robin; do
    modprobe $module
done
mount -t configfs configfs /sys/kernel/config
null_blk nullb0 memory_backed=1 size=64 blocksize=512 irqmode=0
null_blk nullb1 memory_backed=1 size=64 blocksize=512 irqmode=0
mkdir -p /run
export DRIVELAB_DATA=/tmp/data

# reads NAME DEVICE WORD …: two seconds of reads; the result stays.
reads() {
    reads_name=$1
    reads_device=$2
    shift 2
    drivelab io "$reads_device" --op read --pattern random --block 64k --qd 1 --time 2s --ramp 0s --json "$@" \
        > "$RESULTS/$reads_name" 2> "$RESULTS/$reads_name.said" \
        || fail "$reads_name: $(cat "$RESULTS/$reads_name.said")"
}

# reported NAME: keeps the report of the last run, with every figure.
reported() {
    drivelab report last --format json > "$RESULTS/$1.report" 2> "$RESULTS/$1.report.said" \
        || fail "$1: $(cat "$RESULTS/$1.report.said")"
}

# stack NAME DEVICE: alone, beside dd on the disk below, and beside it as fast as it gets, where rates suffer too. Marks
# are judged outside (xtask/src/vm/checks/below.rs).
stack() {
    reads "$1.alone" "$2" --rate 50
    reported "$1.alone"
    while :; do dd if=/dev/nullb0 of=/dev/null bs=1M iflag=direct 2> /dev/null; done &
    stack_other=$!
    reads "$1.beside" "$2" --rate 50
    reads "$1.full" "$2"
    kill $stack_other
    wait $stack_other 2> /dev/null || true
    reported "$1.full"
}

echo "--- LUKS"
printf secret | cryptsetup luksFormat --batch-mode --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 \
    --key-file - /dev/nullb0
printf secret | cryptsetup open --key-file - /dev/nullb0 below
stack luks /dev/mapper/below
cryptsetup close below
dd if=/dev/zero of=/dev/nullb0 bs=1M count=20 2> /dev/null

echo "--- LVM"
lvm_ pvcreate -q -ff -y /dev/nullb0 /dev/nullb1
lvm_ vgcreate -q vm /dev/nullb0 /dev/nullb1
lvm_ lvcreate -q -n striped -i 2 -l 20 -Zn -Wn vm
stack lvm /dev/mapper/vm-striped
lvm_ vgchange -q -an vm
dd if=/dev/zero of=/dev/nullb0 bs=1M count=2 2> /dev/null
dd if=/dev/zero of=/dev/nullb1 bs=1M count=2 2> /dev/null

echo "--- multipath"
# One path: what matters is that the map passes everything on to the disk below it. The name of its kind is multipathd's.
sectors=$(cat /sys/block/nullb0/size)
dmsetup create mpatha --uuid mpath-nullb0 --table "0 $sectors multipath 0 0 1 1 round-robin 0 1 1 /dev/nullb0 1000"
stack multipath /dev/mapper/mpatha
dmsetup remove mpatha

echo "--- md"
mdadm --create /dev/md0 --run --quiet --level=1 --raid-devices=2 --metadata=1.2 --assume-clean /dev/nullb0 /dev/nullb1
stack md /dev/md0
mdadm --stop --quiet /dev/md0
