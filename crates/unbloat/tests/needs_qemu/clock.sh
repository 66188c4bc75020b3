# A watch on a machine whose clock is set while it watches.
ip link set lo up
unbloat watch 127.0.0.1 --own --every 100ms --hops 0 --json --quiet --for 20s >lines 2>said &
sleep 5
date -s "@$(($(date +%s) + 3600))"
sleep 5
date -s "@$(($(date +%s) - 7200))"
wait
