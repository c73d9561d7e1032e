#!/bin/busybox sh
# The first process of a test VM: mounts what is usual, runs the scenario, hands out its results, switches off. Where
# the scenario wants its root on disks, it first moves there and begins anew.
/bin/busybox --install -s /bin
export PATH=/programs:/bin HOME=/tmp RESULTS=/tmp/results TERM=dumb
# There is no udev that would make device nodes; libdevmapper makes its own.
export DM_DISABLE_UDEV=1
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
mount -t tmpfs tmp /var/tmp
mount -t tmpfs tmp /run
if [ -e /vm/root ]; then
    if sh -eu -c '. /vm/functions.sh; . /vm/root.sh; root_on "$(cat /vm/root)"' < /dev/null; then
        umount /run /var/tmp /tmp /dev /sys /proc
        exec switch_root /newroot /init
    fi
    echo "vm: no root on disks"
    poweroff -f
fi
read -r shell_s rest < /proc/uptime
echo "vm: shell after $shell_s s"
mkdir -p "$RESULTS"
echo "$shell_s" > "$RESULTS/shell_s"
cd /tmp || poweroff -f
sh -eu -c '. /vm/functions.sh; . /vm/scenario.sh' < /dev/null
status=$?
echo "vm: the script ended with $status"
dmesg > "$RESULTS/dmesg"
# The bundles that the runs left: what else is to be known of a failure, and what tests/golden is made of.
[ ! -d /tmp/data/runs ] || cp -r /tmp/data/runs "$RESULTS/"

# Only now: the way out goes through the host, which answers in its own time, and the machine's virtual time runs away
# while it waits.
for module in virtio_pci 9pnet_virtio 9p; do
    modprobe "$module" || echo "vm: modprobe $module failed"
done
mkdir -p /mnt
if mount -t 9p -o trans=virtio,version=9p2000.L results /mnt && cp -r "$RESULTS/." /mnt/; then
    echo "$status" > /mnt/status
else
    echo "vm: no way out for results"
fi
poweroff -f
