#: about: the disks below the running system (an overlay on ext4 on LVM on dm-crypt on an md mirror) are never written to
#: modules: nvme ext4 crc32c_generic raid1 dm-mod dm-crypt aesni_intel xts ecb overlay
#: programs: sfdisk mkfs.ext4 mdadm dmsetup lvm
#: disks: d0=128 d1=128 d2=16
#: qemu: -device nvme,drive=d0,serial=SYSTEM-0 -device nvme,drive=d1,serial=SYSTEM-1 -device nvme,drive=d2,serial=SPARE-2
#: root: stacked
#: waiting: real
# The file system below the overlay is mounted where nobody can see it any more, as on live systems.
wait_for -b /dev/nvme2n1
grep -q ' / / rw,noatime - overlay ' /proc/self/mountinfo || fail "the root is no overlay: $(cat /proc/self/mountinfo)"
by_id nvme-QEMU_NVMe_Ctrl_SYSTEM-0 /dev/nvme0n1
by_id nvme-QEMU_NVMe_Ctrl_SPARE-2 /dev/nvme2n1
# What lies outside the partitions of the two, where nothing of the running system writes.
noted /dev/nvme0n1:0:2048 /dev/nvme0n1:262111:33 /dev/nvme1n1:0:2048 /dev/nvme1n1:262111:33
# What lies below the overlay is not to be seen from here any more, so it cannot be told which disk is the system's: every
# part of the stack is refused for what stands on it, whatever is named, and the words say by which rule.
for name in nvme0n1 nvme0 ng0n1 disk/by-id/nvme-QEMU_NVMe_Ctrl_SYSTEM-0; do
    refuses 5 "md0 lies on nvme0n1p1" /dev/$name --destroy SYSTEM-0 --yes
    refuses 5 "md0 lies on nvme0n1p1" /dev/$name --destroy nvme-QEMU_NVMe_Ctrl_SYSTEM-0
done
refuses 5 "it is unknown which disk the running system is on" /dev/nvme0n1p1 --destroy SYSTEM-0 --yes
refuses 5 "md0 lies on nvme1n1p1" /dev/nvme1n1 --destroy SYSTEM-1
refuses 5 "it is unknown which disk the running system is on" /dev/nvme1n1p1 --destroy SYSTEM-1
refuses 5 "dm-0 lies on md0" /dev/md0 --destroy md0
refuses 5 "dm-1 lies on dm-0" /dev/mapper/below --destroy dm-0
# The volume with the file system itself is claimed by a mount that cannot be seen; the kernel says only that it is busy.
refuses 6 "reports that it is claimed" /dev/mapper/vm-root --destroy dm-1
unchanged
writes /dev/nvme2n1 nvme-QEMU_NVMe_Ctrl_SPARE-2
no_complaints
