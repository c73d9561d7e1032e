#: about: a flaky device's errors are counted with address and error number as the kernel saw them; a delay is measured
#: modules: null_blk dm-mod dm-flakey dm-delay
#: programs: dmsetup
# dm-flakey works for three seconds, then fails everything for two, and so on; dm-delay holds each read back for 30 ms. The kernel's tracepoint
# block_bio_complete says how each read ended.
modprobe null_blk nr_devices=0
for module in dm-mod dm-flakey dm-delay; do
    modprobe $module
done
mount -t configfs configfs /sys/kernel/config
mount -t tracefs tracefs /sys/kernel/tracing
null_blk nullb0 irqmode=2 completion_nsec=1000000 queue_mode=2 submit_queues=1 size=64
echo 16384 > /sys/kernel/tracing/buffer_size_kb

# traced NAME ARGUMENT …: reads from /dev/dm-0 and keeps both sides' story.
traced() {
    traced_name=$1
    shift
    echo > /sys/kernel/tracing/trace
    echo 1 > /sys/kernel/tracing/events/block/block_bio_complete/enable
    read_from "$traced_name" /dev/dm-0 --pattern random --block 4k "$@"
    echo 0 > /sys/kernel/tracing/events/block/enable
    cat /sys/kernel/tracing/trace > "$RESULTS/$traced_name.kernel"
    cat /sys/block/dm-0/dev > "$RESULTS/$traced_name.dev"
}

for backend in uring sync; do
    # Anew, so that drivelab looks at a device that works before it begins.
    echo "0 131072 flakey /dev/nullb0 0 3 2" | dmsetup create flaky --noudevsync
    traced "flaky.$backend" --qd 1 --rate 50 --time 10s --errors keep --backend $backend
    dmsetup remove --noudevsync flaky
done

echo "0 131072 delay /dev/nullb0 0 30" | dmsetup create delayed --noudevsync
read_from delayed /dev/dm-0 --pattern random --block 4k --qd 1 --time 4s
dmsetup remove --noudevsync delayed
