//! Set-ups that have nothing wrong.

use crate::set_up::{LINE, SetUp};

pub(crate) const HEALTHY: &[SetUp] = &[
    SetUp::healthy("as-it-begins", "", ""),
    SetUp::healthy("fq-codel", "tc qdisc add dev wan root fq_codel", ""),
    SetUp::healthy(
        "mq-with-fq-codel",
        "tc qdisc add dev wan root handle 1: mq
         for queue in 1 2 3 4; do tc qdisc add dev wan parent 1:$queue fq_codel; done",
        "",
    ),
    SetUp::healthy("pfifo-fast", "tc qdisc add dev wan root pfifo_fast", ""),
    SetUp::healthy(
        "server-with-fq-and-bbr",
        "modprobe tcp_bbr\n echo bbr >/proc/sys/net/ipv4/tcp_congestion_control
         tc qdisc add dev wan root fq",
        "",
    ),
    SetUp::healthy(
        "line-as-fast-as-the-device",
        "tc qdisc add dev wan root fq_codel",
        "--up 10gbit --down 10gbit",
    ),
    SetUp::healthy("cake", "up\n down", LINE),
    SetUp::healthy("cake-with-a-test", "up\n down\n measure", "line.json"),
    SetUp::healthy("cake-on-an-unknown-line", "up\n down", ""),
    SetUp::healthy("cake-with-four-tins", "up diffserv4\n down diffserv4", LINE),
    SetUp::healthy("cake-for-a-satellite", "up rtt 600ms\n down satellite", LINE),
    SetUp::healthy(
        "cake-on-an-even-line",
        "up bandwidth 95mbit no-ack-filter\n down bandwidth 95mbit",
        "--up 100mbit --down 100mbit --link ethernet",
    ),
    SetUp::healthy(
        "cake-where-the-download-leaves",
        "up\n tc qdisc add dev lan root cake bandwidth 19mbit besteffort dual-dsthost \
            overhead 44 mpu 84 ingress",
        LINE,
    ),
    SetUp::healthy(
        "download-redirected-where-it-leaves",
        "up\n ip link add ifb4lan type ifb && ip link set ifb4lan up\n tc qdisc add dev lan clsact
         tc filter add dev lan egress matchall action mirred egress redirect dev ifb4lan
         tc qdisc add dev ifb4lan root cake bandwidth 19mbit dual-dsthost overhead 44 mpu 84 ingress",
        LINE,
    ),
    SetUp::healthy(
        "clsact-and-matchall",
        "up\n down\n tc qdisc del dev wan ingress
         tc qdisc add dev wan clsact
         tc filter add dev wan ingress matchall action ctinfo dscp 63 128 \
            action mirred egress redirect dev ifb4wan",
        LINE,
    ),
    SetUp::healthy(
        "classes-with-fq-codel",
        "single_packets\n redirect\n classes wan 1900kbit fq_codel\n classes ifb4wan 19mbit fq_codel",
        LINE,
    ),
    SetUp::healthy(
        "classes-that-add-the-overhead",
        "single_packets\n redirect
         for pair in 'wan 1900kbit' 'ifb4wan 19mbit'; do
             set -- $pair
             tc qdisc add dev $1 root handle 1: htb default 10
             tc class add dev $1 parent 1: classid 1:10 htb rate $2 overhead 44 linklayer ethernet
             tc qdisc add dev $1 parent 1:10 fq_codel
         done",
        LINE,
    ),
    SetUp::healthy(
        "classes-with-cake",
        "single_packets\n redirect\n classes wan 1900kbit cake\n classes ifb4wan 19mbit cake ingress",
        LINE,
    ),
    SetUp::healthy(
        "buckets-with-fq-codel",
        "redirect\n bucket wan 1900kbit fq_codel\n bucket ifb4wan 19mbit fq_codel",
        LINE,
    ),
    SetUp::healthy(
        "hfsc-with-fq-codel",
        "single_packets\n redirect
         for pair in 'wan 1900kbit' 'ifb4wan 19mbit'; do
             set -- $pair
             tc qdisc add dev $1 root handle 1: stab overhead 44 linklayer ethernet hfsc default 10
             tc class add dev $1 parent 1: classid 1:1 hfsc ls m2 $2 ul m2 $2
             tc class add dev $1 parent 1:1 classid 1:10 hfsc ls m2 $2
             tc qdisc add dev $1 parent 1:10 fq_codel
         done",
        LINE,
    ),
    SetUp::healthy(
        "vlan-shaped",
        "ip link add link wan name wan.7 type vlan id 7 && ip link set wan.7 up
         ip route replace default dev wan.7\n ip route add 10.0.7.0/24 dev wan.7
         wan=wan.7\n up\n down",
        LINE,
    ),
    SetUp::healthy(
        "device-below-the-vlan-shaped",
        "ip link add link wan name wan.7 type vlan id 7 && ip link set wan.7 up
         ip route replace default dev wan.7\n up\n down",
        LINE,
    ),
    SetUp::healthy(
        "device-in-a-bridge-shaped",
        "ip link add br-wan type bridge && ip link set br-wan up\n ip link set wan master br-wan
         ip address flush dev wan && ip address add 10.0.0.2/24 dev br-wan
         ip route replace default via 10.0.0.1\n up\n down",
        LINE,
    ),
    SetUp::healthy(
        "tunnel-over-the-line",
        "ip link add wg0 type dummy && ip link set wg0 up && ip route replace default dev wg0\n up\n down",
        LINE,
    ),
    SetUp::healthy("no-default-route", "ip route del default\n up\n down", LINE),
    SetUp::healthy(
        "two-lines",
        "up\n down\n ip link add lte type veth peer name far
         ip link set lte up && ip link set far up && ip address add 10.9.0.2/24 dev lte
         ip route add default via 10.9.0.1 metric 700
         tc qdisc add dev lte root cake bandwidth 5mbit dual-srchost nat overhead 44 mpu 84
         ip link add ifb4lte type ifb && ip link set ifb4lte up\n tc qdisc add dev lte handle ffff: ingress
         tc filter add dev lte parent ffff: matchall action mirred egress redirect dev ifb4lte
         tc qdisc add dev ifb4lte root cake bandwidth 40mbit dual-dsthost nat ingress overhead 44 mpu 84",
        LINE,
    ),
    SetUp::healthy(
        "network-manager-has-fq-codel",
        "mkdir -p /etc/NetworkManager/system-connections
         printf '[connection]\\nid=wan\\ninterface-name=wan\\n[tc]\\nqdisc.root=fq_codel\\n' \
            >/etc/NetworkManager/system-connections/wan.nmconnection
         tc qdisc add dev wan root fq_codel",
        "",
    ),
    SetUp::healthy(
        "a-guest-is-limited",
        "ip link add guest0 type veth peer name guest1 && ip link set guest0 up
         tc qdisc add dev guest0 root handle 1: htb default 1
         tc class add dev guest0 parent 1: classid 1:1 htb rate 10mbit
         tc qdisc add dev guest0 parent 1:1 pfifo limit 1000",
        "",
    ),
];
