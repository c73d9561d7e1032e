#: about: a target that stalls for seconds shows in the response times of an open loop, and a closed loop hides it
#: modules: null_blk dm-mod
#: programs: dmsetup
# The target answers at once (null_blk without a completion time, some 20,000 operations a second in this machine) until
# the device mapper in front of it is suspended. The check works out what must come out.
modprobe null_blk nr_devices=0
modprobe dm-mod
mount -t configfs configfs /sys/kernel/config
null_blk nullb0 irqmode=0 queue_mode=2 submit_queues=1 size=64
echo "0 131072 linear /dev/nullb0 0" | dmsetup create stalled --noudevsync

# stall MICROSECONDS: stalls the target for about as long, and keeps when: before and after each of the two commands.
stall() {
    now_ns
    dmsetup suspend --noudevsync stalled
    now_ns
    usleep "$1"
    now_ns
    dmsetup resume --noudevsync stalled
    now_ns
}

# measure NAME SECONDS ARGUMENT …: runs drivelab so long, with a stall of about an eighth of that in the middle.
measure() {
    name=$1
    seconds=$2
    shift 2
    drivelab io /dev/dm-0 --op read --pattern random --block 4k --time "${seconds}s" --ramp 0s --no-save --json "$@" \
        > "$RESULTS/$name" &
    sleep $((seconds / 2))
    stall $((seconds * 117500)) > "$RESULTS/$name.clock"
    wait $!
}

# A p99.9 needs 5,000 operations, and the rate must stay far below what the target can do.
measure open 20 --qd 32 --rate 250 --arrivals constant
measure closed 4 --qd 1
