#!/bin/busybox sh
# The first process of a test VM: mounts what is usual, runs the scenario, keeps its status, switches off.
/bin/busybox --install -s /bin
export PATH=/programs:/bin HOME=/tmp RESULTS=/results TERM=dumb
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
mount -t tmpfs tmp /var/tmp
read -r shell_s rest < /proc/uptime
echo "vm: shell after $shell_s s"
for module in virtio_pci 9pnet_virtio 9p; do
    modprobe "$module" || echo "vm: modprobe $module failed"
done
if ! mount -t 9p -o trans=virtio,version=9p2000.L results /results; then
    echo "vm: no way out for results"
    poweroff -f
fi
echo "$shell_s" > /results/shell_s
cd /tmp || poweroff -f
sh -eu -c '. /vm/functions.sh; . /vm/scenario.sh' < /dev/null
status=$?
dmesg > /results/dmesg
echo "vm: the script ended with $status"
echo "$status" > /results/status
poweroff -f
