#: about: the VM boots, the shipped binary runs in it as root, results come out, one second is one second
drivelab --version > "$RESULTS/version"
id -u > "$RESULTS/user"
drivelab methods list > "$RESULTS/methods"
begun=$(now_ns)
sleep 1
echo $(($(now_ns) - begun)) > "$RESULTS/slept_ns"
