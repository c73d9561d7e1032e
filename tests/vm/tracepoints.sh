#: about: what drivelab says it issued (--trace) is what the kernel's block tracepoints saw, in the same order
#: modules: null_blk
# No scheduler and no merges, so that each operation is one bio and one request.
modprobe null_blk nr_devices=0
mount -t configfs configfs /sys/kernel/config
mount -t tracefs tracefs /sys/kernel/tracing
null_blk nullb0 irqmode=0 queue_mode=2 submit_queues=1 size=64 discard=1 memory_backed=1
echo none > /sys/block/nullb0/queue/scheduler
echo 2 > /sys/block/nullb0/queue/nomerges
cat /sys/block/nullb0/dev > "$RESULTS/dev"
cd /sys/kernel/tracing
echo 16384 > buffer_size_kb

# traced NAME ARGUMENT …: runs drivelab and keeps both sides' story.
traced() {
    name=$1
    shift
    echo > trace
    echo 1 > events/block/block_bio_queue/enable
    echo 1 > events/block/block_rq_issue/enable
    drivelab io /dev/nullb0 --ramp 0s --no-save --json --trace "/tmp/$name.trace" "$@" > "$RESULTS/$name"
    echo 0 > events/block/enable
    cat trace > "$RESULTS/$name.kernel"
    cat "/tmp/$name.trace" > "$RESULTS/$name.trace"
}

traced mix.uring --backend uring --op mix=70 --pattern random --block 4k:60,64k:40 --qd 8 --operations 3000 --destroy nullb0
traced mix.sync --backend sync --op mix=70 --pattern random --block 4k:60,64k:40 --qd 1 --operations 3000 --destroy nullb0
traced threads --op read --pattern sequential --block 16k --qd 4 --threads 2 --operations 3000
traced once --op write --pattern random-once --block 32k --qd 4 --passes 1 --destroy nullb0
traced trim --op trim --pattern random --block 64k --qd 1 --operations 500 --destroy nullb0
