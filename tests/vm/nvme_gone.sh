#: about: an NVMe drive that is taken off the bus in the middle of a run ends in counted errors and exit code 8
#: modules: nvme
#: qemu: -blockdev null-co,size=67108864,read-zeroes=on,latency-ns=2000000,node-name=d0 -device nvme,drive=d0,serial=vm01
#: waiting: real
# The drive answers with zeroes after 2 ms and holds nothing. Taken off the bus, it is found again by a rescan.
#
# QEMU's drive now and then loses commands by itself (seen with reads alone, without any removal: "timeout, aborting"
# in the kernel log, the more often the faster they follow each other; hence the 2 ms). Such a run says nothing about
# drivelab and is done again, and the kernel is told not to wait half a minute for it.
lost_commands() {
    dmesg | grep -c "timeout, aborting" || true
}

modprobe nvme_core io_timeout=2
for backend in uring sync; do
    for attempt in 1 2 3; do
        lost=$(lost_commands)
        modprobe nvme
        until [ -b /dev/nvme0n1 ]; do usleep 10000; done
        read_from "nvme.$backend.stop" /dev/nvme0n1 --pattern random --block 4k --qd 4 --time 20s \
            --backend $backend --errors stop &
        reading nvme0n1
        echo 1 > /sys/class/nvme/nvme0/device/remove
        wait $!
        echo 1 > /sys/bus/pci/rescan
        [ "$(lost_commands)" -gt "$lost" ] || break
        echo "vm: attempt $attempt: the emulated drive lost commands"
    done
done
