# The line: client -- router -- modem -- server, a namespace each. The modem's buffers are long. The
# router may be there already.
for name in client router modem server; do
    [ -e /run/netns/$name ] || ip netns add $name
    ip -n $name link set lo up
    eval "in_$name() { ip netns exec $name \"\$@\"; }"
done

# link NAMESPACE DEVICE ADDRESS NAMESPACE DEVICE ADDRESS
link() {
    ip link add "$2" netns "$1" type veth peer name "$5" netns "$4"
    # The devices hand on single packets, as a line does.
    ip -n "$1" link set "$2" up gso_max_segs 1
    ip -n "$4" link set "$5" up gso_max_segs 1
    ip -n "$1" address add "$3/24" dev "$2"
    ip -n "$4" address add "$6/24" dev "$5"
}
link client eth0 10.1.0.2 router lan 10.1.0.1
link router wan 10.0.0.2 modem home 10.0.0.1
link modem net 10.0.1.1 server line 10.0.1.2
ip -n client route add default via 10.1.0.1
ip -n router route add default via 10.0.0.1
ip -n modem route add 10.1.0.0/24 via 10.0.0.2
ip -n server route add default via 10.0.1.1
for name in router modem; do
    ip netns exec $name sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
done
in_modem tc qdisc add dev net root tbf rate 2mbit burst 3000 limit 262144
in_modem tc qdisc add dev home root tbf rate 20mbit burst 3000 limit 262144
in_server tc qdisc add dev line root netem delay 20ms limit 2000

serve() {
    ip netns exec server unbloat serve --quiet >>/results/serve.log 2>&1 &
    server=$!
    sleep 1
}

# What a change of the router would change.
state() {
    in_router tc qdisc show
    in_router tc filter show dev wan parent ffff:
    in_router ls /sys/class/net
    find /etc/network /etc/NetworkManager /etc/unbloat /usr/local /run -type f 2>/dev/null | sort
}

# back_after STEP SECONDS STATE: says whether the state is that one, after so many seconds.
back_after() {
    sleep "$2"
    state >state-now
    if cmp -s "state-$3" state-now; then echo "$1: as before"; else
        echo "$1: changed"
        diff "state-$3" state-now || true
    fi
} >>/results/back

# wait_for COMMAND: until the command succeeds, for a minute at most.
wait_for() {
    for try in $(seq 3000); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.02
    done
    echo "in vain: $*" >&2
    return 1
}

# shaped: true once both shapers are there. A script tries CAKE on a device of its own before that.
shaped() {
    [ "$(in_router tc qdisc show | grep 'qdisc cake' | grep -vc unbloat-try)" = 2 ]
}

serve
