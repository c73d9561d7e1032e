#: about: others that load the disk below LUKS, LVM and md are seen, and every figure is marked; alone none is
#: modules: null_blk dm-mod dm-crypt aesni_intel xts ecb crc32c_generic raid1
#: programs: cryptsetup dmsetup lvm mdadm
#: waiting: real
#: memory_mib: 768
# Two disks in memory that keep what is written. On each stack drivelab reads at a low, fixed rate, once alone and once
# while dd reads the first disk below it as fast as it can.
modprobe null_blk nr_devices=0
for module in dm-mod dm-crypt aesni_intel xts ecb crc32c_generic raid1; do
    modprobe $module
done
mount -t configfs configfs /sys/kernel/config
null_blk nullb0 memory_backed=1 size=64 blocksize=512 irqmode=0
null_blk nullb1 memory_backed=1 size=64 blocksize=512 irqmode=0
mkdir -p /run
export DRIVELAB_DATA=/tmp/data

# reads NAME DEVICE: two seconds of reads at a low rate; the report stays.
reads() {
    drivelab io "$2" --op read --pattern random --block 64k --qd 1 --rate 50 --time 2s --ramp 0s --no-save --json \
        > "$RESULTS/$1" 2> "$RESULTS/$1.said" || fail "$1: $(cat "$RESULTS/$1.said")"
}

# stack NAME DEVICE: alone no mark, beside dd on the disk below a mark that names that disk.
stack() {
    reads "$1.alone" "$2"
    grep -q '"spoiled_by": \[\]' "$RESULTS/$1.alone" || complain "$1 alone: marked: $(grep -A9 others_used "$RESULTS/$1.alone")"
    while :; do dd if=/dev/nullb0 of=/dev/null bs=1M iflag=direct 2> /dev/null; done &
    stack_other=$!
    reads "$1.beside" "$2"
    kill $stack_other
    wait $stack_other 2> /dev/null || true
    grep -q '"others_used_disk"' "$RESULTS/$1.beside" || complain "$1 beside dd: no mark"
    grep -q 'bytes of others on [^"]*nullb0' "$RESULTS/$1.beside" || complain "$1 beside dd: the disk is not named"
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

echo "--- md"
mdadm --create /dev/md0 --run --quiet --level=1 --raid-devices=2 --metadata=1.2 --assume-clean /dev/nullb0 /dev/nullb1
stack md /dev/md0
mdadm --stop --quiet /dev/md0
