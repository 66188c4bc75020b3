# The router is the machine that systemd runs: what each platform keeps is started by the platform's own
# programs when the interface appears again.
in_router() { "$@"; }

# What a change of the router would change. systemd and udev write their own notes below /run.
state() {
    tc qdisc show
    tc filter show dev wan parent ffff:
    ls /sys/class/net
    find /etc/network /etc/NetworkManager /etc/systemd /etc/unbloat /usr/local /run/unbloat-fix \
        /run/systemd/network -type f 2>/dev/null | sort
}

fix() {
    unbloat fix before.json --apply --yes --quiet --json "$@"
}

# appear: the interface goes, and appears as at the start of the machine, with nothing set.
appear() {
    ip link del wan
    ip link add wan type veth peer name home netns modem
    ip link set wan gso_max_segs 1
    ip -n modem link set home up gso_max_segs 1
    ip -n modem address add 10.0.0.1/24 dev home
    ip -n modem route add 10.1.0.0/24 via 10.0.0.2
    in_modem tc qdisc add dev home root tbf rate 20mbit burst 3000 limit 262144
    "$@"
}

# treated PLATFORM COMMAND...: kept by this platform, there again once the interface has appeared by the
# command, and taken back.
treated() {
    platform=$1
    shift
    state >state-$platform
    fix --for $platform >$platform.json
    state >kept-$platform
    appear "$@"
    wait_for shaped || { systemctl --no-pager status unbloat-shaper; journalctl --no-pager -b | tail -50; }
    tc qdisc show >appeared-$platform
    unbloat fix --undo
    back_after $platform 0 $platform
}
