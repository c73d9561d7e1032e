#: about: what encryption costs, whole in its smoke form, three rounds: the arms none and luks2, the cost and how sure it is
#: modules: nvme dm-mod dm-crypt aesni_intel xts ecb crc32c_generic ext4
#: programs: cryptsetup addpart delpart mkfs.ext4 dmsetup
#: disks: d0=256
#: qemu: -object throttle-group,id=l0,x-bps-total=24000000
#: qemu: -blockdev throttle,node-name=t0,throttle-group=l0,file=d0
#: qemu: -device nvme,drive=t0,serial=COST-1
#: waiting: real
#: memory_mib: 768
#: takes_s: 175
# QEMU's NVMe drives say that their link is one slow lane (250 MB/s), and what is faster than that is void: so a limit below it.
# A command that the emulator lost is asked for again after this; behind the limit others wait for seconds.
modprobe nvme_core io_timeout=10
for module in nvme dm-mod dm-crypt aesni_intel xts ecb crc32c_generic ext4; do
    modprobe $module
done
wait_for -b /dev/nvme0n1
mkdir -p /run
export DRIVELAB_DATA=/tmp/data
smoke encryption-cost encryption-cost /dev/nvme0n1 --destroy COST-1 --repeats 3
[ "$(dmsetup ls)" = "No devices found" ] || complain "a mapping is left: $(dmsetup ls)"
no_complaints
