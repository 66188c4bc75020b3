#!/bin/sh
# The hunt of docs/gettys.md on real kernels: a home, its modem, its provider and a server, a network namespace each.
#
#     sudo sh docs/gettys.sh FOLDER            # eight minutes; what the steps write comes into FOLDER
#     sudo sh docs/gettys.sh --short FOLDER    # three minutes: short tests, of one direction each, and one watch
#
# It needs root, since only root may shape, and unbloat, ip and tc (iproute2), unshare (util-linux), tcpdump and iperf3.
# It runs in namespaces of its own: however it ends, the kernel takes away what it has made.
set -eu

short=
if [ "${1:-}" = --short ]; then
    short=--short
    shift
fi
folder=${1:?name a folder for what is written}
if [ -z "${HUNT:-}" ]; then
    mkdir -p "$folder"
    # shellcheck disable=SC2086 # an option, or none
    exec unshare --net --mount --pid --fork --kill-child --mount-proc \
        env HUNT=1 sh "$0" $short "$folder"
fi
# The names of namespaces lie in /run.
mount -t tmpfs hunt /run
cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT

# on NODE COMMAND...: shows the command, and runs it there.
on() {
    echo "$1\$$(shift; quoted "$@")"
    quietly "$@"
}

quietly() {
    node=$1
    shift
    ip netns exec "$node" "$@"
}

# The words of a command, as they are typed.
quoted() {
    for word in "$@"; do
        case $word in *' '*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
    done
}

step() { printf '\n### %s\n' "$*"; }

# --- the path -------------------------------------------------------------------------------------
#
#   laptop ── Wi-Fi ── router ── modem ── line ── provider ── server
#
# The modem is a bridge: it has no address, and nothing shows its queue.

# link NODE DEVICE NODE DEVICE: they hand on single packets, as a line does.
link() {
    ip link add "$2" netns "$1" type veth peer name "$4" netns "$3"
    ip -n "$1" link set "$2" gso_max_segs 1 up
    ip -n "$3" link set "$4" gso_max_segs 1 up
}

for node in laptop router modem provider server; do
    ip netns add $node
    ip -n $node link set lo up
    # A path without distance has no room for the two packets that a connection has in flight at least: with ECN
    # CAKE marks them in place of dropping them.
    quietly $node sysctl -q net.ipv4.ip_forward=1 net.ipv4.tcp_ecn=1
done
link laptop wifi0 router lan0
link router wan0 modem home0
link modem line0 provider cable0
link provider core0 server eth0
ip -n modem link add bridge0 type bridge
ip -n modem link set home0 master bridge0
ip -n modem link set line0 master bridge0
ip -n modem link set bridge0 up
ip -n laptop addr add 192.168.1.10/24 dev wifi0
ip -n router addr add 192.168.1.1/24 dev lan0
ip -n router addr add 203.0.113.2/24 dev wan0
ip -n provider addr add 203.0.113.1/24 dev cable0
ip -n provider addr add 198.51.100.1/24 dev core0
ip -n server addr add 198.51.100.2/24 dev eth0
ip -n laptop route add default via 192.168.1.1
ip -n router route add default via 203.0.113.1
ip -n provider route add 192.168.1.0/24 via 203.0.113.2
ip -n server route add default via 198.51.100.1

# The line: 2 Mbit/s up and 20 Mbit/s down, with 256 KiB of buffer in the modem and in the provider's device.
tc -n modem qdisc add dev line0 root tbf rate 2mbit burst 3000 limit 256kb
tc -n provider qdisc add dev cable0 root tbf rate 20mbit burst 3000 limit 256kb

quietly server iperf3 --server >/dev/null &
quietly server unbloat serve --quiet &

# --- the tools of the hunt ------------------------------------------------------------------------

# watched: a watch from now on, and some calm, so that it knows what is usual.
watched() {
    echo 'laptop$ unbloat watch 198.51.100.2 --own --every 200ms --store watch'
    : >events
    ip netns exec laptop unbloat watch 198.51.100.2 --own --every 200ms --store watch -q >events &
    watch=$!
    sleep 15
}

# told: waits until the watch has told of something, and ends it. Whether a probe is lost is known after a minute.
told() {
    for _ in $(seq 90); do
        [ ! -s events ] || break
        sleep 1
    done
    ended
}

# ended: ends the watch, and shows what it has told.
ended() {
    kill -INT $watch
    wait $watch
    [ -s events ] || echo '(no event)'
    fold -s -w 100 events | sed 's/ $//'
}

# tested NAME up|down: a test of the line from the laptop; the short one is of this direction.
tested() {
    observations=$1.json.gz way=--$2
    set --
    [ -z "$short" ] || set -- "$way" --time 6s
    on laptop unbloat test 198.51.100.2 -q --observations "$observations" "$@"
}

# shaped NODE DEVICE OPTIONS...: the node holds packets of the device in our queues from now on.
shaped() {
    on "$1" unbloat shape "$2" -q "$3" "$4" "$5" "$6" &
    until quietly "$1" unbloat shape "$2" --status >/dev/null 2>&1; do sleep 0.2; done
}

# CUBIC is Linux's default; BBR would fill no buffer.
upload() { quietly laptop iperf3 --client 198.51.100.2 -C cubic --time 20 >/dev/null; }
download() { quietly laptop iperf3 --client 198.51.100.2 -C cubic --time 20 --reverse >/dev/null; }

# --- the hunt -------------------------------------------------------------------------------------
step 1 A suspicion: something is slow now and then
watched
ip netns exec laptop tcpdump -q -i wifi0 -s 108 -w upload.pcap tcp 2>tcpdump.log &
dump=$!
sleep 1
upload
kill -INT $dump
told

step 2 A capture of the upload
on laptop unbloat pcap upload.pcap --plot upload.svg --only flight-1

step 3 A test: which direction, and which hop
tested before up

step 4 A cure: CAKE in the router, a little below the rates of the line
shaped router wan0 --up "cake bandwidth 1880kbit nat" --down "cake bandwidth 18800kbit nat ingress"
if [ -z "$short" ]; then
    on laptop unbloat watch mark watch "CAKE in the router"
    watched
    upload
    sleep 10
    ended
fi
tested cured up

step 5 The next queue: the laptop goes into the garden, where the Wi-Fi has 10 Mbit/s
# In front of it Linux holds as many packets as in front of any device (txqueuelen).
for end in "router lan0" "laptop wifi0"; do
    node=${end% *} device=${end#* }
    tc -n "$node" qdisc add dev "$device" root handle 1: tbf rate 10mbit burst 3000 limit 2mb
    tc -n "$node" qdisc add dev "$device" parent 1: pfifo limit 1000
done
if [ -z "$short" ]; then
    on laptop unbloat watch mark watch "the laptop is in the garden"
    watched
    download
    told
fi
# CAKE marks the load when it begins, so that it takes longer until this queue is full.
on laptop unbloat test 198.51.100.2 -q --observations garden.json.gz --down --time 20s

step 6 The same cure, one device further
shaped router lan0 --up "cake bandwidth 9mbit" --down "cake bandwidth 9mbit"
tested both-cured down
[ -n "$short" ] || on laptop unbloat report watch --out watch.html
