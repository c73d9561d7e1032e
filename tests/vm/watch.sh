#: about: watch beside another program: series of an NVMe drive, its exit code and signals; a PCIe error that was injected
#: modules: nvme
#: programs: dd sleep
#: disks: d0=64
#: qemu: -machine q35
#: qemu: -device pcie-root-port,id=port0,slot=1
#: qemu: -device nvme,id=n0,bus=port0,drive=d0,serial=WATCH-0
#: waiting: real
# dd writes beside the watch, and dd's own exit code comes back; Ctrl-C ends the program and not the watch's summary.
# QEMU's NVMe controller has no Advanced Error Reporting, its root port has: an error is injected there.
modprobe nvme
wait_for -b /dev/nvme0n1

# A program that writes for some seconds: its code is passed on, its words are its own.
said plain drivelab watch nvme0n1 --telemetry 0.25 -- \
    sh -c 'for i in 1 2 3 4; do /programs/dd if=/dev/zero of=/dev/nvme0n1 bs=64k count=160 oflag=direct 2> /dev/null; sleep 1; done; echo mine; exit 42'
said json drivelab watch /dev/nvme0n1 --json --telemetry 0.25 -- \
    sh -c '/programs/dd if=/dev/zero of=/dev/nvme0n1 bs=64k count=320 oflag=direct 2> /dev/null; sleep 3; echo mine'

# Ctrl-C, as a terminal sends it to both: the program ends by it, and the summary comes all the same.
drivelab watch nvme0n1 --json -- /programs/sleep 60 > "$RESULTS/stopped.out" 2> "$RESULTS/stopped.said" &
watch=$!
wait_for -s "$RESULTS/stopped.said"
usleep 2500000
program=$(pidof sleep)
kill -INT $watch
kill -INT $program
code=0
wait $watch || code=$?
echo $code > "$RESULTS/stopped.code"

# Alone, until it is told to stop.
drivelab watch nvme0n1 --json > "$RESULTS/alone.out" 2> "$RESULTS/alone.said" &
watch=$!
wait_for -s "$RESULTS/alone.out"
sleep 2
kill -INT $watch
code=0
wait $watch || code=$?
echo $code > "$RESULTS/alone.code"

# A poisoned packet at the port, while it is watched: an error that is not corrected and not fatal. (QEMU 7.2 sets the bit of
# a corrected error and sends the port no message, so the kernel hears of none.)
drivelab watch nvme0n1 --json --telemetry 0.5 --time 12s > "$RESULTS/aer.out" 2> "$RESULTS/aer.said" &
watch=$!
wait_for -s "$RESULTS/aer.out"
sleep 3
host human-monitor-command '{"command-line": "pcie_aer_inject_error port0 POISON_TLP"}'
wait $watch
said aer.counts sh -c 'cat /sys/bus/pci/devices/*/aer_dev_nonfatal'
