# The line: client -- router -- server, a namespace each, with 20 ms between router and server.
for name in client router server; do
    ip netns add $name
    ip -n $name link set lo up
    eval "in_$name() { ip netns exec $name \"\$@\"; }"
done

# link NAMESPACE DEVICE ADDRESS NAMESPACE DEVICE ADDRESS
link() {
    ip link add "$2" netns "$1" type veth peer name "$5" netns "$4"
    ip -n "$1" link set "$2" addrgenmode none up
    ip -n "$4" link set "$5" addrgenmode none up
    ip -n "$1" address add "$3/24" dev "$2"
    ip -n "$4" address add "$6/24" dev "$5"
}
link client eth0 10.1.0.2 router lan 10.1.0.1
link router wan 10.2.0.1 server line 10.2.0.2
ip -n client route add default via 10.1.0.1
ip -n server route add default via 10.2.0.1
in_router sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
# Nothing else makes /dev/net/tun.
modprobe tun
in_server tc qdisc add dev line root netem delay 20ms limit 10000

# sample NAME: appends the time, and the bytes that have arrived.
sample() {
    echo "$(cut -d ' ' -f 1 /proc/uptime) $(stat -c %s /tmp/arrived)" >>"$1.bytes"
}

# load NAME up|down SECONDS: pings beside a flow of TCP, without its first seconds.
load() {
    name=$1-$2
    case $2 in
        up) sender=client receiver=server address=10.2.0.2 ;;
        down) sender=server receiver=client address=10.1.0.2 ;;
    esac
    # The end of its input would end nc.
    ip netns exec $receiver sh -c "sleep 100 | nc -l -p 5001 >/tmp/arrived" &
    sleep 0.5
    ip netns exec $sender nc $address 5001 </dev/zero &
    flow=$!
    sleep 2
    sample $name
    in_client ping -i 0.025 -c $(($3 * 40)) 10.2.0.2 >$name.ping
    sample $name
    kill $flow
    sleep 1
    rm /tmp/arrived
}

# ours DEVICE RATE: shapes a device of the router with this program.
ours() {
    ip netns exec router unbloat shape $1 --up "cake bandwidth $2" --down "cake bandwidth $2 ingress" &
    shaper=$!
    sleep 1
    kill -0 $shaper
}

# end_ours NAME DEVICE: keeps the state of the shaper, and ends it.
end_ours() {
    in_router unbloat shape $2 --status --json >$1.status
    kill $shaper
    wait $shaper
}
