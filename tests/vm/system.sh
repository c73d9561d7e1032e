#: about: the disks that the running system lives on are never written to, whatever is typed
#: modules: nvme ext4 crc32c_generic raid1 dm-mod dm-crypt aesni_intel xts ecb overlay
#: programs: sfdisk mkfs.ext4 mdadm dmsetup lvm
#: disks: d0=96 d1=96 d2=32
#: qemu: -device nvme,drive=d0,serial=SYSTEM-0 -device nvme,drive=d1,serial=SYSTEM-1 -device nvme,drive=d2,serial=SPARE-2
#: root: stacked
#: waiting: real
#: limit_s: 90
cat /proc/self/mountinfo
cat /proc/mdstat
ls /dev /dev/mapper /sys/block
modprobe nvme
wait_for -b /dev/nvme2n1
for d in /dev/nvme0n1 /dev/nvme0n1p1 /dev/nvme2n1 /dev/nvme0 /dev/ng0n1 /dev/md0; do
said t timeout -s KILL 60 drivelab io $d --op write --qd 1 --time 1s --ramp 0s --no-save --json --destroy SYSTEM-0
cat $RESULTS/t.*
done
