#: about: the write guard on NVMe and SATA drives, LVM, md and dm-crypt: each refusal as promised, and not a sector written
#: modules: nvme ahci sd_mod ext4 crc32c_generic raid1 dm-mod dm-crypt aesni_intel xts ecb loop
#: programs: sfdisk mkfs.ext4 mdadm dmsetup lvm cryptsetup
#: disks: system=128 d0=24 d1=24 d2=16 d3=16 d4=16
#: root: plain
#: qemu: -machine q35 -device nvme,drive=system,serial=SYSTEM -device nvme,drive=d0,serial=GUARD-0 -device nvme,drive=d1,serial=GUARD-1
#: qemu: -device nvme-subsys,id=s2,nqn=two-ways -device nvme,id=c2,serial=GUARD-2,subsys=s2
#: qemu: -device nvme,id=c3,serial=GUARD-2,subsys=s2 -device nvme-ns,bus=c2,drive=d2,nsid=1,shared=on
#: qemu: -device ide-hd,bus=ide.0,drive=d3,serial=GUARD-3 -device ide-hd,bus=ide.1,drive=d4,serial=GUARD-4
#: waiting: real
#: takes_s: 155
# The kernel counts what is written to each drive; where that has changed after a refusal, the refusal was none. Around each
# group of refusals a checksum of all that the drive holds is taken too. On the disk of the running system that is done
# with what lies outside its mounted partition: 1 MiB before and 33 sectors behind (the copy of its table).
for module in nvme ahci sd_mod crc32c_generic ext4 raid1 dm-mod dm-crypt aesni_intel xts ecb loop; do
    modprobe $module
done
for node in nvme1n1 nvme2n1 sda sdb; do
    wait_for -b /dev/$node
done
# What two controllers share has the name of the one that the kernel was done with first.
wait_for -b /dev/nvme3n1 -o -b /dev/nvme4n1
shared=/dev/nvme3n1
unshared=/dev/nvme4n1
[ -b $shared ] || { shared=/dev/nvme4n1; unshared=/dev/nvme3n1; }
by_id nvme-QEMU_NVMe_Ctrl_SYSTEM /dev/nvme0n1
by_id nvme-QEMU_NVMe_Ctrl_GUARD-0 /dev/nvme1n1
third=$(disk_with_serial GUARD-3)
fourth=$(disk_with_serial GUARD-4)

partition() {
    printf 'label: gpt\nstart=1MiB\n' | sfdisk --quiet --no-reread --no-tell-kernel "$1"
    blockdev --rereadpt "$1"
    wait_for -b "${1}p1"
}

filesystem() {
    mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$1"
}

echo "--- the disk of the running system"
noted /dev/nvme0n1:0:2048 /dev/nvme0n1:262111:33
for name in /dev/nvme0n1 /dev/nvme0n1p1 /dev/nvme0 /dev/ng0n1 /dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_SYSTEM; do
    refuses 5 "the running system is on" $name --destroy SYSTEM
    refuses 5 "the running system is on" $name --destroy nvme-QEMU_NVMe_Ctrl_SYSTEM --yes
done
unchanged

echo "--- mounted, by each of its names"
partition /dev/nvme1n1
filesystem /dev/nvme1n1p1
mkdir -p /tmp/at /tmp/node
mount -t ext4 /dev/nvme1n1p1 /tmp/at
noted /dev/nvme1n1
ln -s /dev/nvme1n1 /tmp/link
mknod /tmp/renamed b $(tr : " " < /sys/block/nvme1n1/dev)
touch /tmp/bound
mount --bind /dev/nvme1n1 /tmp/bound
refuses 5 mounted /dev/nvme1n1p1 --destroy GUARD-0
for name in /dev/nvme1n1 /dev/ng1n1 /dev/nvme1 /dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_GUARD-0 /tmp/link /tmp/renamed \
    /tmp/bound; do
    refuses 5 mounted $name --destroy GUARD-0
done
unchanged
umount /tmp/bound

echo "--- mounted in another namespace"
umount /tmp/at
unshare -m sh -c 'mount -t ext4 /dev/nvme1n1p1 /tmp/at && echo yes > /tmp/mounted-there && sleep 1000' &
there=$!
wait_for -e /tmp/mounted-there
noted /dev/nvme1n1
refuses 5 mounted /dev/nvme1n1p1 --destroy GUARD-0
refuses 5 mounted /dev/nvme1n1 --destroy GUARD-0
unchanged
kill $there
wait $there || true

echo "--- a file system and a partition table, not in use"
noted /dev/nvme1n1
refuses 5 ext4 /dev/nvme1n1p1
refuses 5 "partition table" /dev/nvme1n1
refuses 5 GUARD-0 /dev/nvme1n1 --destroy GUARD-1
unchanged

echo "--- swap, on and off"
mkswap /dev/nvme2n1 > /dev/null
swapon /dev/nvme2n1
noted /dev/nvme2n1
refuses 5 swap /dev/nvme2n1 --destroy GUARD-1
unchanged
swapoff /dev/nvme2n1
noted /dev/nvme2n1
refuses 5 swap /dev/nvme2n1
unchanged

echo "--- LVM, active and inactive"
lvm_ pvcreate -q -ff -y $third
lvm_ vgcreate -q vm $third
lvm_ lvcreate -q -n one -l 2 -Zn -Wn vm
filesystem /dev/mapper/vm-one
mount -t ext4 /dev/mapper/vm-one /tmp/at
noted $third
refuses 5 "lies on" $third --destroy GUARD-3
refuses 5 mounted /dev/mapper/vm-one --destroy dm-0
unchanged
umount /tmp/at
noted $third
refuses 5 "lies on" $third --destroy GUARD-3
unchanged
lvm_ vgchange -q -an vm
noted $third
refuses 5 LVM $third
unchanged
writes $third GUARD-3

echo "--- md, active and inactive"
dd if=/dev/zero of=$third bs=1M count=16 oflag=direct 2> /dev/null
mdadm --create /dev/md0 --run --quiet --level=1 --raid-devices=2 --metadata=1.2 --assume-clean $third $fourth
filesystem /dev/md0
mount -t ext4 /dev/md0 /tmp/at
noted $third $fourth
refuses 5 "lies on" $third --destroy GUARD-3
refuses 5 "lies on" $fourth --destroy GUARD-4
refuses 5 mounted /dev/md0 --destroy md0
unchanged
umount /tmp/at
noted $third $fourth
refuses 5 "lies on" $fourth --destroy GUARD-4
unchanged
mdadm --stop --quiet /dev/md0
noted $fourth
refuses 5 "a member of a Linux RAID (md)" $fourth
unchanged
writes $fourth GUARD-4

echo "--- LUKS: header, open, closed"
printf secret > /tmp/key
cryptsetup luksFormat --type luks2 -q --key-file /tmp/key --pbkdf pbkdf2 --pbkdf-force-iterations 1000 \
    --luks2-keyslots-size 256k --luks2-metadata-size 16k /dev/nvme2n1
noted /dev/nvme2n1
refuses 5 LUKS /dev/nvme2n1
cryptsetup open --key-file /tmp/key /dev/nvme2n1 plain
settled
refuses 5 "lies on" /dev/nvme2n1 --destroy GUARD-1
cryptsetup close plain
settled
refuses 5 LUKS /dev/nvme2n1
unchanged
writes /dev/nvme2n1 GUARD-1

echo "--- one namespace, two controllers"
noted $shared
for name in $shared /dev/nvme3 /dev/nvme4; do
    refuses 5 GUARD-2 $name
    refuses 5 GUARD-2 $name --destroy ${shared#/dev/}
done
refuses 5 "--destroy names GUARD-1, but this is nvme[34]n1, QEMU NVMe Ctrl, serial GUARD-2" $shared --destroy GUARD-1
[ ! -e $unshared ] || complain "the namespace has two nodes"
blockdev --setro $shared
refuses 5 read-only $shared --destroy GUARD-2
blockdev --setrw $shared
refuses 5 GUARD-2 $shared --yes
unchanged

# over DEVICE: a mapping /dev/mapper/over of the first 4 MiB of it; it is dm-0.
over() {
    dmsetup create over --noudevsync --table "0 8192 linear $1 0"
    wait_for -e /dev/mapper/over
    [ -e /sys/block/dm-0/dm/name ] && [ "$(cat /sys/block/dm-0/dm/name)" = over ] || complain "the mapping is not dm-0"
    settled
}

echo "--- dm over a loop device over the disk of the running system"
losetup /dev/loop0 /dev/nvme0n1
over /dev/loop0
noted /dev/nvme0n1:0:2048 /dev/nvme0n1:262111:33
refuses 5 "the running system is on" /dev/loop0 --destroy loop0
refuses 5 "the running system is on" /dev/mapper/over --destroy dm-0
unchanged
dmsetup remove over --noudevsync
losetup -d /dev/loop0

echo "--- dm over a loop device over a file on that disk: held to what the file is held to"
mkdir -p /usr /mnt
for file in /usr/disk.img /mnt/disk.img; do
    dd if=/dev/zero of=$file bs=1M count=4 2> /dev/null
done
losetup /dev/loop0 /usr/disk.img
over /dev/loop0
noted /dev/mapper/over
refuses 5 "where the system keeps its own" /dev/mapper/over --destroy dm-0
unchanged
dmsetup remove over --noudevsync
losetup -d /dev/loop0
losetup /dev/loop0 /mnt/disk.img
over /dev/loop0
sleep 1000 < /mnt/disk.img &
reader=$!
noted /dev/mapper/over
refuses 6 "the file under it" /dev/mapper/over --destroy dm-0
unchanged
kill $reader
wait $reader || true
writes /dev/mapper/over dm-0
dmsetup remove over --noudevsync
losetup -d /dev/loop0

echo "--- two drivelabs at once"
# The first writes until it is told to stop, and the second comes when it does.
drivelab io $shared --op write --qd 1 --time 10min --ramp 0s --no-save --events json --destroy GUARD-2 \
    > /tmp/first.out 2> /tmp/first.said &
first=$!
left=2400
until grep -q '"interval"' /tmp/first.out; do
    left=$((left - 1))
    [ $left -gt 0 ] || fail "the first drivelab never began: $(cat /tmp/first.said)"
    usleep 50000
done
code=0
drivelab io /dev/nvme3 --op write --qd 1 --time 1s --ramp 0s --no-save --json --destroy GUARD-2 \
    > /tmp/second.out 2> /tmp/second.said || code=$?
[ $code -eq 6 ] || complain "the second drivelab ended with $code: $(cat /tmp/second.said)"
kill -INT $first
code=0
wait $first || code=$?
[ $code -eq 7 ] || complain "the first drivelab ended with $code, not 7: $(cat /tmp/first.said)"

echo "--- data in the middle"
blkdiscard -f $shared 2> /dev/null || dd if=/dev/zero of=$shared bs=1M count=16 oflag=direct 2> /dev/null
dd if=/dev/urandom of=$shared bs=4k count=1 seek=3000 conv=notrunc oflag=direct 2> /dev/null
noted $shared
refuses 5 "12288000" $shared
unchanged
no_complaints
