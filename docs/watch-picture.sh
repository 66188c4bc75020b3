#!/bin/sh
# What docs/pictures/watch.png shows, on real kernels: a home whose line is filled by an upload, a download, another
# computer and a test, and whose buffer is made short in between.
#
#     sudo sh docs/watch-picture.sh FOLDER     # ten minutes; FOLDER/home is the store, FOLDER/home.html its page
#     chromium --headless --window-size=1000,1760 --screenshot=watch.png "file://$PWD/FOLDER/home.html"
#
# It needs root, unbloat, ip and tc (iproute2), unshare (util-linux) and iperf3. It runs in namespaces of its own:
# however it ends, the kernel takes away what it has made.
set -eu

folder=${1:?name a folder for what is written}
if [ -z "${PICTURE:-}" ]; then
    mkdir -p "$folder"
    exec unshare --net --mount --pid --fork --kill-child --mount-proc env PICTURE=1 sh "$0" "$folder"
fi
# The names of namespaces lie in /run.
mount -t tmpfs picture /run
cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT

# on NODE COMMAND...: runs the command there.
on() { ip netns exec "$@"; }

# link NODE DEVICE NODE DEVICE: they hand on single packets, as a line does.
link() {
    ip link add "$2" netns "$1" type veth peer name "$4" netns "$3"
    ip -n "$1" link set "$2" gso_max_segs 1 up
    ip -n "$3" link set "$4" gso_max_segs 1 up
}

#   laptop ─┐
#           ├─ router ── line ── provider ── server
#   tv ─────┘
for node in laptop tv router provider server; do
    ip netns add $node
    ip -n $node link set lo up
    on $node sysctl -q net.ipv4.ip_forward=1
done
link laptop eth0 router lan0
link tv eth0 router lan1
link router wan0 provider cable0
link provider core0 server eth0
ip -n laptop addr add 192.168.1.10/24 dev eth0
ip -n tv addr add 192.168.2.10/24 dev eth0
ip -n router addr add 192.168.1.1/24 dev lan0
ip -n router addr add 192.168.2.1/24 dev lan1
ip -n router addr add 203.0.113.2/24 dev wan0
ip -n provider addr add 203.0.113.1/24 dev cable0
ip -n provider addr add 198.51.100.1/24 dev core0
ip -n server addr add 198.51.100.2/24 dev eth0
ip -n server addr add 198.51.100.3/24 dev eth0
ip -n laptop route add default via 192.168.1.1
ip -n tv route add default via 192.168.2.1
ip -n router route add default via 203.0.113.1
ip -n provider route add 192.168.0.0/16 via 203.0.113.2
ip -n server route add default via 198.51.100.1

# buffer BYTES: the line has 5 Mbit/s each way, and buffers of this size.
buffer() {
    tc -n router qdisc replace dev wan0 root tbf rate 5mbit burst 3000 limit "$1"
    tc -n provider qdisc replace dev cable0 root tbf rate 5mbit burst 3000 limit "$1"
}

# load NODE SECONDS PORT [--reverse]: CUBIC is Linux's default; BBR would fill no buffer.
load() {
    node=$1 seconds=$2 port=$3
    shift 3
    on "$node" iperf3 --client 198.51.100.2 --port "$port" -C cubic --time "$seconds" "$@" >/dev/null
}

buffer 200kb
on server iperf3 --server --port 5201 >/dev/null &
on server iperf3 --server --port 5202 >/dev/null &
on server unbloat serve --quiet &
sleep 1
at=$(date -d '8 minutes' +%H:%M)
ip netns exec laptop unbloat watch 198.51.100.2 198.51.100.3 --own --every 200ms --hops 2 --store home -q \
    --test-at "$at" --test-server 198.51.100.2 &
watch=$!
sleep 60
load laptop 30 5201
sleep 30
load laptop 30 5201 --reverse
sleep 30
load tv 30 5202 --reverse
sleep 15
load laptop 70 5201
sleep 20
buffer 6kb
unbloat watch mark home 'a buffer of 6 kB'
load laptop 100 5201
sleep 140
kill -INT $watch
wait $watch
unbloat report home --out home.html
