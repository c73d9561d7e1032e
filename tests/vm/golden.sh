#: about: runs of the methodologies that no other scenario measures, for tests/golden
#: modules: nvme ext4 crc32c_generic
#: programs: mkfs.ext4
#: disks: d0=64 d1=1024
#: qemu: -object throttle-group,id=l0,x-bps-total=200000000
#: qemu: -blockdev throttle,node-name=t0,throttle-group=l0,file=d0
#: qemu: -object throttle-group,id=l1,x-bps-total=200000000
#: qemu: -blockdev throttle,node-name=t1,throttle-group=l1,file=d1
#: qemu: -device nvme,drive=t0,serial=GOLDEN-0 -device nvme,drive=t1,serial=GOLDEN-1
#: waiting: real
#: takes_s: 400
#: by_hand: yes
nvme_drives 2
for module in crc32c_generic ext4; do
    modprobe $module
done
small_and_large 131072
drive="$small --destroy GOLDEN-0"
meter /tmp/watts 5
watched="--power-file /tmp/watts --telemetry 0.1"
for method in quick anandtech-2021 application-traces four-corners load-curves random-read-sweep disk-fill review; do
    smoke $method $method $drive $watched
done
mkfs.ext4 -q -F $large
mkdir -p /mnt/drive
mount $large /mnt/drive
cd /mnt/drive
for method in crystaldiskmark as-ssd file-transfer; do
    smoke $method $method . $watched
done
cd /tmp
umount /mnt/drive
kill $meter
no_complaints
