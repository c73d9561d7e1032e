#: about: a drive that is unplugged in mid-run: a clear error, exit code 8, and a bundle that can be read
#: modules: nvme
#: qemu: -machine q35 -device pcie-root-port,id=port0,slot=1
#: qemu: -blockdev null-co,size=67108864,read-zeroes=on,latency-ns=2000000,node-name=d0
#: qemu: -device nvme,id=n0,bus=port0,drive=d0,serial=UNPLUGGED
#: waiting: real
# The run is saved. QEMU pulls the drive from its slot as soon as it is read, long before the thirty seconds are over.
modprobe nvme_core io_timeout=2
modprobe nvme
wait_for -b /dev/nvme0n1
drivelab io /dev/nvme0n1 --op read --pattern random --block 4k --qd 4 --time 30s --ramp 0s --data /tmp/data --json \
    > "$RESULTS/run.out" 2> "$RESULTS/run.said" &
run=$!
reading nvme0n1
now_ns > "$RESULTS/asked_ns"
host device_del '{"id": "n0"}'
code=0
wait $run || code=$?
now_ns > "$RESULTS/ended_ns"
echo $code > "$RESULTS/run.code"
[ ! -e /dev/nvme0n1 ] || fail "the drive is still there"

said list drivelab results list --data /tmp/data --json
said show drivelab results show --last --data /tmp/data --json
said page drivelab report --last --data /tmp/data -o /tmp/page.html
[ "$(cat "$RESULTS/page.code")" -ne 0 ] || cat /tmp/page.html > "$RESULTS/page.html"
said again drivelab io /dev/nvme0n1 --op read --time 1s --no-save
