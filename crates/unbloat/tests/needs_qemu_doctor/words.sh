# What people type on a router, in functions. The line has 2 Mbit/s up and 20 Mbit/s down.

# up WORDS: CAKE for what leaves.
up() {
    tc qdisc add dev "${wan:-wan}" root cake bandwidth 1900kbit besteffort dual-srchost nat ack-filter \
        overhead 44 mpu 84 "$@"
}

# redirect: what comes in goes to an IFB.
redirect() {
    ip link add ifb4wan type ifb
    ip link set ifb4wan up
    tc qdisc add dev "${wan:-wan}" handle ffff: ingress
    tc filter add dev "${wan:-wan}" parent ffff: protocol all prio 10 u32 match u32 0 0 flowid 1:1 \
        action mirred egress redirect dev ifb4wan
}

# down WORDS: CAKE for what comes in.
down() {
    redirect
    tc qdisc add dev ifb4wan root cake bandwidth 19mbit besteffort dual-dsthost nat wash ingress \
        overhead 44 mpu 84 "$@"
}

# single_packets: no super-packets are made.
single_packets() {
    ethtool -K wan tso off gso off gro off
    ethtool -K lan gro off
}

# classes DEVICE RATE LEAF...: HTB with one class, as sqm-scripts' simplest.qos.
classes() {
    tc qdisc add dev "$1" root handle 1: stab overhead 44 linklayer ethernet htb default 10
    tc class add dev "$1" parent 1: classid 1:1 htb rate "$2" ceil "$2"
    tc class add dev "$1" parent 1:1 classid 1:10 htb rate "$2" ceil "$2"
    device=$1
    shift 2
    tc qdisc add dev "$device" parent 1:10 handle 110: "$@"
}

# bucket DEVICE RATE LEAF...: a token bucket with a queue in it.
bucket() {
    tc qdisc add dev "$1" root handle 1: stab overhead 44 linklayer ethernet \
        tbf rate "$2" burst 5kb latency 50ms
    device=$1
    shift 2
    tc qdisc add dev "$device" parent 1:1 handle 110: "$@"
}

# measure: a test of the line, whose result is the file line.json.
measure() {
    ip netns exec provider unbloat serve --bind 10.0.0.1 --quiet >/dev/null 2>&1 &
    server=$!
    sleep 1
    unbloat test 10.0.0.1 --json --quiet --time 5s >line.json
    kill $server
}

# plan OPTIONS: what `unbloat fix` says to type, without what is for the next boot.
plan() {
    unbloat fix --for ifupdown --wan wan "$@" | sed -n '/^To apply it/,/^# Shape now/p' | sed 1d >planned
    echo /usr/local/sbin/unbloat-shaper start >>planned
    sh -e planned
}
