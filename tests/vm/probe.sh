#: about: what drivelab shows of drives is what QEMU was told, field by field; NVMe, SATA, virtio, device-mapper and md
#: modules: nvme ahci sd_mod sg virtio_pci virtio_blk dm-mod raid1 loop drivetemp
#: programs: dmsetup mdadm setpriv
#: kernel: iomem=relaxed
#: cpus: 2
#: disks: n0=64 n1=48 n2=16 hd=32 ssd=16 vd=8
#: qemu: -machine q35
#: qemu: -device pcie-root-port,id=port0,slot=1,x-speed=16,x-width=4
#: qemu: -device nvme,id=c0,bus=port0,drive=n0,serial=PROBE-0,mdts=5,max_ioqpairs=1,aerl=5
#: qemu: -device pcie-root-port,id=port1,slot=2,x-speed=8,x-width=2 -device nvme-subsys,id=s1,nqn=probe-one
#: qemu: -device nvme,id=c1,bus=port1,serial=PROBE-1,subsys=s1,mdts=0,max_ioqpairs=7,use-intel-id=on
#: qemu: -device nvme-ns,bus=c1,drive=n1,nsid=3,logical_block_size=4096,physical_block_size=4096,eui64=0x0011223344556677
#: qemu: -device nvme-ns,bus=c1,drive=n2,nsid=5,logical_block_size=512,ms=8,mset=1,pi=1
#: qemu: -device ide-hd,bus=ide.0,drive=hd,serial=SPIN-7200,ver=VMFW01,rotation_rate=7200,wwn=0x5000c50012345678
#: qemu: -device ide-hd,bus=ide.1,drive=ssd,serial=SOLID-1,ver=VMFW02,rotation_rate=1,physical_block_size=4096
#: qemu: -device virtio-blk-pci,drive=vd,serial=VIRTIO-1
#: waiting: real
for module in nvme ahci sd_mod sg virtio_pci virtio_blk dm-mod raid1 loop drivetemp; do
    modprobe $module
done
wait_for -b /dev/nvme0n1
wait_for -b /dev/nvme1n1
wait_for -b /dev/nvme1n2
wait_for -b /dev/sda
wait_for -b /dev/sdb
wait_for -b /dev/vda
chmod 600 /dev/nvme* /dev/sd* /dev/ng*
by_id nvme-QEMU_NVMe_Ctrl_PROBE-0 /dev/nvme0n1

for name in nvme0n1 nvme0 ng0n1 nvme1n1 nvme1n2 vda; do
    said show.$name drivelab show /dev/$name --json
done
# Which of the two is sda depends on who came first.
spinning=$(disk_with_serial SPIN-7200)
said show.spinning drivelab show SPIN-7200 --json
said show.solid drivelab show SOLID-1 --json
said show.by-id drivelab show /dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_PROBE-0 --json
said show.serial drivelab show PROBE-0 --json
said text.nvme0n1 drivelab show /dev/nvme0n1
# Layers: dm on a loop device, md on dm and a SATA drive.
dd if=/dev/zero of=/tmp/file bs=1M count=16 2> /dev/null
loop=$(losetup -f)
losetup "$loop" /tmp/file
echo "0 32768 linear $loop 0" | dmsetup create layer --noudevsync
mdadm --create /dev/md0 --run --quiet --level=1 --raid-devices=2 --metadata=1.2 --assume-clean /dev/dm-0 $spinning
for name in dm-0 md0; do
    said show.$name drivelab show /dev/$name --json
done
said targets drivelab targets --json
said targets.text drivelab targets

# As somebody without privileges.
echo 'nobody:x:65534:65534:nobody:/:/bin/sh' > /etc/passwd
for name in nvme0n1; do
    said user.$name /programs/setpriv --reuid 65534 --regid 65534 --clear-groups drivelab show /dev/$name --json
done
said user.targets /programs/setpriv --reuid 65534 --regid 65534 --clear-groups drivelab targets --json
