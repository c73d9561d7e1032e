#: about: an NVMe drive that is taken off the bus in the middle of a run ends in counted errors and exit code 8
#: modules: nvme
#: qemu: -blockdev null-co,size=67108864,read-zeroes=on,node-name=d0 -device nvme,drive=d0,serial=vm0001
#: waiting: real
# The drive answers with zeroes and holds nothing. Taken off the bus, it is found again by a rescan.
for backend in uring sync; do
    modprobe nvme
    until [ -b /dev/nvme0n1 ]; do usleep 10000; done
    read_from "nvme.$backend.stop" /dev/nvme0n1 --pattern random --block 4k --qd 4 --time 4s \
        --backend $backend --errors stop &
    sleep 2
    echo 1 > /sys/class/nvme/nvme0/device/remove
    wait $!
    echo 1 > /sys/bus/pci/rescan
done
