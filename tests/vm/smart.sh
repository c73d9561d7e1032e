#: about: a SMART warning and a temperature threshold are in the series at the right second; the drive's pages are kept
#: modules: nvme
#: disks: d0=64
#: qemu: -device nvme,id=n0,drive=d0,serial=WARM-0
#: waiting: real
# QEMU sets bit 2 (reliability) of the critical warning; then the guest's own threshold falls below the 50 °C that the
# drive always has, so that it sets bit 1 (temperature); then both go. What happened when, by the guest's clock, is
# kept beside the series.
# Those 50 °C never move (QEMU's temperature is a property of the device, 323 K), while a thermometer file beside it
# rises by 1 °C a second: the drive's own reading is found out.
modprobe nvme
wait_for -b /dev/nvme0n1
threshold=$(echo /sys/class/nvme/nvme0/hwmon*/temp1_max)

# What the drive says before; the run's bundle has to hold the same pages.
said pages drivelab show /dev/nvme0n1 --json

# happened NAME: says when something was done.
happened() {
    echo "$1 $(now_ns)" >> "$RESULTS/happened"
}

: > /tmp/celsius
for degree in $(seq 40 70); do
    echo "$(/programs/date +%s.%N) $degree" >> /tmp/celsius
    sleep 1
done &
drivelab io /dev/nvme0n1 --op read --pattern random --block 4k --qd 1 --rate 20 --time 26s --ramp 0s --data /tmp/data \
    --telemetry 0.25 --telemetry-always --temperature-file /tmp/celsius --events json 2> "$RESULTS/run.said" |
    while read -r line; do
    case $line in
        *'"step_started"'*) happened step ;;
    esac
done &
run=$!
wait_for -s "$RESULTS/happened"
sleep 3
happened warned
set_property n0 smart_critical_warning 4
sleep 3
happened hot
echo 40000 > "$threshold"
sleep 3
happened cleared
set_property n0 smart_critical_warning 0
echo 90000 > "$threshold"
wait $run
said events drivelab replay --last --data /tmp/data --events json
# It has no power log either, which is said before anything is begun.
said refused drivelab io /dev/nvme0n1 --op read --time 1s --no-save --power-log
said show drivelab results show --last --data /tmp/data --json
