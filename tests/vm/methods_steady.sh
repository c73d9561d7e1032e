#: about: the steady-state tests after the SNIA PTS on an NVMe drive, whole in their smoke form, with watts of a meter
#: modules: nvme
#: disks: d0=64
#: qemu: -object throttle-group,id=l0,x-bps-total=24000000
#: qemu: -blockdev throttle,node-name=t0,throttle-group=l0,file=d0
#: qemu: -device nvme,drive=t0,serial=STEADY-0
#: waiting: real
#: takes_s: 155
# QEMU's NVMe drives say that their link is one slow lane (250 MB/s), and what is faster than that is void: so a limit below it.
nvme_drives 1
meter /tmp/watts 5
smoke snia-pts snia-pts /dev/nvme0n1 --destroy STEADY-0 --power-file /tmp/watts
kill $meter
no_complaints
