# shape_with_cake: the kernel's CAKE, whose rates follow a line with a long buffer of its own.
shape_with_cake() {
    in_router tc qdisc add dev wan root cake bandwidth 5mbit
    in_router ip link add ifb0 type ifb
    in_router ip link set ifb0 up
    in_router tc qdisc add dev ifb0 root cake bandwidth 10mbit ingress
    in_router tc qdisc add dev wan ingress
    in_router tc filter add dev wan parent ffff: matchall action mirred egress redirect dev ifb0
}
shape_with_cake

# rate RATE: what the line carries downwards from now on.
rate() {
    in_server tc qdisc change dev line root netem delay 20ms rate $1 limit 1000
}

# follow NAME OPTIONS...: the rates follow while the line gets slower.
follow() {
    name=$1
    shift
    rate 16mbit
    ip netns exec router unbloat autorate wan --down-dev ifb0 --up-range 1mbit-20mbit \
        --down-range 2mbit-60mbit --json "$@" >$name.json 2>$name.said &
    follower=$!
    sleep 1
    kill -0 $follower
    ip netns exec client sh -c "sleep 100 | nc -l -p 5001 >/dev/null" &
    sleep 0.5
    ip netns exec server nc 10.1.0.2 5001 </dev/zero &
    flow=$!
    sleep 5
    rate 6mbit
    sleep 2
    in_client ping -i 0.1 -c 40 10.2.0.2 >$name.ping
    kill $flow
    kill -INT $follower
    wait $follower || true
    in_router tc -j qdisc show dev ifb0 >$name.after
    sleep 1
}
follow pings --reflectors 10.2.0.2
follow passing
in_router unbloat autorate lan 2>refused || true

# Both devices are made again while the rates follow, and have other indices then.
ip netns exec router unbloat autorate wan --down-dev ifb0 --reflectors 10.2.0.2 --json \
    --metrics 127.0.0.1:9818 >again.json 2>again.said &
follower=$!
# rates: the lines with rates of the figures for Prometheus.
rates() {
    printf 'GET /metrics HTTP/1.0\r\n\r\n' | in_router nc 127.0.0.1 9818 | grep -c ^unbloat_autorate_limit || true
}
in_router ip link set lo up
sleep 3
rates >again.metrics
in_router ip link del wan
in_router ip link del ifb0
sleep 2
rates >>again.metrics
link router wan 10.2.0.1 server line 10.2.0.2
ip -n server route add default via 10.2.0.1
shape_with_cake
wc -l <again.json >again.lines
sleep 4
rates >>again.metrics
wc -l <again.json >>again.lines
kill -INT $follower
wait $follower || true
