#: about: fdp
#: emulator: backports
#: modules: nvme
#: disks: d0=64
#: qemu: -device nvme-subsys,id=s0,nqn=fdp0,fdp=on,fdp.runs=8M,fdp.nrg=2,fdp.nruh=4 -device nvme,id=n0,serial=FDP-0,subsys=s0,ocp=on,mqes=127,max_ioqpairs=4 -device nvme-ns,drive=d0,nsid=1,fdp.ruhs=1;3;0
#: waiting: real
#: limit_s: 90
modprobe nvme
wait_for -b /dev/nvme0n1
ls /sys/class/nvme/nvme0/ /sys/class/nvme/nvme0/hwmon*
cat /sys/class/nvme/nvme0/model
dmesg | tail -5
