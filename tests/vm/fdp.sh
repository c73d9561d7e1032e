#: about: flexible data placement, the OCP health log and a small queue as QEMU was told, with QEMU of Debian's backports
#: emulator: backports
#: modules: nvme
#: disks: d0=64
#: qemu: -device nvme-subsys,id=s0,nqn=fdp0,fdp=on,fdp.runs=8M,fdp.nrg=2,fdp.nruh=4
#: qemu: -device nvme,id=n0,serial=FDP-0,subsys=s0,ocp=on,mqes=127,max_ioqpairs=4
#: qemu: -device nvme-ns,drive=d0,nsid=1,nguid=00112233-4455-6677-8899-aabbccddeeff,fdp.ruhs=1;3;0
#: kernel: iomem=relaxed
#: waiting: real
modprobe nvme
wait_for -b /dev/nvme0n1
dd if=/dev/zero bs=4k count=256 oflag=direct conv=notrunc of=/dev/nvme0n1 2> /dev/null
said show.nvme0n1 drivelab show /dev/nvme0n1 --json
said text.nvme0n1 drivelab show /dev/nvme0n1
