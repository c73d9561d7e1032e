#: about: two NVMe drives at once, behind one limit: each alone gets all of it, together each loses half
#: modules: nvme
#: disks: d0=16 d1=16
#: qemu: -object throttle-group,id=limit,x-iops-total=200,x-iops-total-max=200
#: qemu: -blockdev throttle,node-name=t0,throttle-group=limit,file=d0 -blockdev throttle,node-name=t1,throttle-group=limit,file=d1
#: qemu: -device nvme,drive=t0,serial=PAIR-0 -device nvme,drive=t1,serial=PAIR-1
#: waiting: real
modprobe nvme_core io_timeout=5
modprobe nvme
wait_for -b /dev/nvme0n1
wait_for -b /dev/nvme1n1
export DRIVELAB_DATA=/tmp/data
cat > m.toml << 'END'
format = 1
name = "pair"
title = "Pair"
version = "1.0.0"
summary = "Random reads."
good_for = "This scenario."
cannot_tell = "Anything about a drive."
[[sources]]
id = "own"
citation = "tests/vm/together.sh"
[target]
kind = "file_or_block"
size = "16 MiB"
minimum_size = "8 MiB"
[defaults]
threads = 1
data = "incompressible"
direct = true
span = "100 %"
streams = "disjoint"
seed = 1
time = "5 s"
ramp = "1 s"
rest = "0 s"
rounds = 1
combine = "mean"
order = "round_by_round"
[forms.quick]
[[prepare]]
action = "fill"
[[tests]]
name = "random"
title = "Random"
purpose = "What does a neighbour cost?"
sources = ["own"]
op = "read"
pattern = "random"
block_size = "4 KiB"
queue_depth = 4
END
# halved: whether each drive kept about half (the check has the same bounds).
halved() {
    grep -o '"median_percent": *[0-9.]*' "$RESULTS/together.out" |
        awk '{ if ($2 < 35 || $2 > 65) off = 1; seen += 1 } END { exit off || seen < 2 }'
}

# The limit counts the host's time and drivelab the machine's. Where the host has other work while each drive is measured alone,
# or while both are, and not the other time, the share that is kept is another one: then both are measured again.
attempt=0
until [ $attempt -ge 6 ]; do
    attempt=$((attempt + 1))
    said together drivelab run m.toml /dev/nvme0n1 /dev/nvme1n1 --json --destroy PAIR-0 --destroy PAIR-1
    [ "$(cat "$RESULTS/together.code")" -eq 0 ] || fail "$(tail -n 5 "$RESULTS/together.said")"
    ! halved || break
    echo "attempt $attempt: $(grep -o '"median_percent": *[0-9.]*' "$RESULTS/together.out" | tr '\n' ' ')"
done
echo $attempt > "$RESULTS/attempts"
said list drivelab results list --json
