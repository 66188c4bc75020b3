# The router, and what examines it. A set-up runs in the router's namespace with the functions of
# words.sh, and its files are in /etc.

# link NAMESPACE DEVICE NAMESPACE DEVICE: two devices with four hardware queues.
link() {
    ip link add "$2" netns "$1" numtxqueues 4 numrxqueues 4 type veth \
        peer name "$4" netns "$3" numtxqueues 4 numrxqueues 4
}

# begins NAMESPACE DEVICE ADDRESS...: its devices are up. One call of ip for all takes a fifth of the time.
begins() {
    space=$1
    shift
    {
        echo link set lo up
        while [ $# -gt 0 ]; do
            printf 'address add %s/24 dev %s\nlink set %s up\n' "$2" "$1" "$1"
            shift 2
        done
        [ $space != router ] || echo route add default via 10.0.0.1
    } | ip -n $space -batch -
}

# fresh: a router as its system begins, between a client and a provider.
fresh() {
    for space in client router provider; do
        ip netns del $space 2>/dev/null || true
        ip netns add $space
    done
    rm -rf /etc/NetworkManager /etc/systemd /etc/network
    mkdir -p /usr/local/sbin
    link client eth0 router lan
    link router wan provider line
    begins client eth0 10.1.0.2
    begins router lan 10.1.0.1 wan 10.0.0.2
    begins provider line 10.0.0.1
    ip netns exec router sysctl -q -w net.ipv4.ip_forward=1
}

# set_up NAME: runs a set-up in the router.
set_up() {
    cat /tmp/words.sh "/tmp/$1.sh" >set-up
    ip netns exec router sh -e set-up >said 2>&1 || cp said "$1.failed"
}

# doctor OPTIONS: examines the router while 70 kB/s pass it each way.
doctor() {
    ip netns exec router ping -q -i 0.02 -s 1400 10.0.0.1 >/dev/null &
    ping=$!
    ip netns exec router unbloat doctor --time 1s "$@" && status=0 || status=$?
    kill $ping
    wait $ping || true
}

# examine NAME OPTIONS: a set-up, and what is found.
examine() {
    name=$1
    shift
    fresh
    set_up "$name"
    doctor "$@" --json >"$name.json"
    echo $status >"$name.status"
}

# commands FILE: the commands of all remedies in a checkup, one a line.
commands() {
    awk '{ text = text $0 }
        END {
            while (match(text, /"commands": \[[^]]*\]/)) {
                list = substr(text, RSTART + 13, RLENGTH - 14)
                text = substr(text, RSTART + RLENGTH)
                while (match(list, /"([^"\\]|\\.)*"/)) {
                    command = substr(list, RSTART + 1, RLENGTH - 2)
                    list = substr(list, RSTART + RLENGTH)
                    gsub(/\\"/, "\"", command)
                    print command
                }
            }
        }' "$1"
}

# treat NAME OPTIONS: types what the findings say, and looks again.
treat() {
    name=$1
    shift
    commands "$name.json" >commands
    # What plans prints what to type, without what is for the next boot.
    grep -v '^unbloat fix' commands >remedy || true
    if plan=$(grep -m 1 '^unbloat fix' commands); then
        $plan | sed -n '/^To apply it/,/^# Shape now/p' | sed 1d >>remedy
        echo /usr/local/sbin/unbloat-shaper start >>remedy
    fi
    ip netns exec router sh -e remedy >said 2>&1 || cp said "$name.failed"
    doctor "$@" --json >"$name.after.json"
}
