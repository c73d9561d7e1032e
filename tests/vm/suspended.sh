#: about: a suspension of the machine during a step is reported as the limit of that step
#: modules: null_blk
#: kernel: hpet=disable
#: waiting: real
# The alarm of the real-time clock wakes the machine after some seconds (with the HPET in its place, it does not). The
# clocks say how long it was suspended, in whole seconds.
modprobe null_blk nr_devices=0
mount -t configfs configfs /sys/kernel/config
null_blk nullb0 size=64 blocksize=512 irqmode=0
wait_for -e /sys/class/rtc/rtc0/wakealarm

# suspended NAME WORD …: reads for four seconds, in the middle of which the machine is suspended to memory.
suspended() {
    suspended_name=$1
    shift
    read_from "$suspended_name" /dev/nullb0 --pattern random --block 64k --qd 1 --time 4s "$@" &
    reading nullb0
    echo 0 > /sys/class/rtc/rtc0/wakealarm
    echo +4 > /sys/class/rtc/rtc0/wakealarm
    echo mem > /sys/power/state
    wait $!
    [ "$(cat "$RESULTS/$suspended_name.code")" = 0 ] || fail "$suspended_name: $(cat "$RESULTS/$suspended_name.said")"
}

# says NAME WORD: the result of a load has this word.
says() {
    grep -q "$2" "$RESULTS/$1" || fail "$1: $2 is not in the result"
}

suspended closed
suspended open --rate 1000
for name in closed open; do
    says $name '"limited_by": "stood_still"'
    says $name '"machine_suspended"'
done
read_from awake /dev/nullb0 --pattern random --block 64k --qd 1 --time 2s
says awake '"limited_by"'
if grep -q 'machine_suspended\|stood_still' "$RESULTS/awake"; then fail "awake: it says that the machine was suspended"; fi
