# The shaper as a service of systemd, which `unbloat fix --for unbloat` sets up on a router with another
# shaper. The guest itself is the router.
in_router() { "$@"; }

# What a change of the router would change.
state() {
    tc qdisc show
    ls /sys/class/net
    grep -o '@unbloat/shape/[0-9]*' /proc/net/unix || echo 'no shaper'
    systemctl list-units --all --plain --no-legend 'unbloat*'
    find /etc/systemd/system /etc/unbloat /usr/local /run/unbloat-fix /run/systemd/system \
        -name '*unbloat*' -o -path '/etc/unbloat/*' 2>/dev/null | sort
}

# fix ARGUMENTS: takes the place of the shell, so that $! behind `fix &` is the program.
fix() {
    exec unbloat fix before.json --for unbloat --apply --yes --quiet "$@"
}

# refused NAME ARGUMENTS: what is said of a change that is not made.
refused() {
    name=$1
    shift
    (fix "$@") >"$name" 2>&1 || echo "status $?" >>"$name"
}

# property NAME: of the unit.
property() {
    systemctl show -P "$1" unbloat-shape.service
}

# at_work: true once the shaper takes requests, which is when it begins to shape. Costs less than to ask it.
at_work() {
    grep -q "@unbloat/shape/$(cat /sys/class/net/wan/ifindex)\$" /proc/net/unix
}

is_inactive() {
    [ "$(property ActiveState)" = inactive ]
}

# again PID: true once another process shapes. This process ends first.
again() {
    [ ! -e "/proc/$1" ] && at_work && [ "$(property ActiveState)" = active ]
}

# passes NAME SECONDS: pings from the client to the server.
passes() {
    in_client ping -i 0.05 -c $(($2 * 20)) 10.0.1.2 >"$1"
}

# seconds: since the machine started.
seconds() {
    cut -d ' ' -f 1 /proc/uptime
}

# The guest has no program that makes the device before the module is there, as kmod does elsewhere. The
# mode is udev's.
modprobe tun
udevadm settle
in_client unbloat test 10.0.1.2 --json --quiet >before.json
tc qdisc add dev wan root handle 7: cake bandwidth 5mbit nat ack-filter
state >state-theirs

# What is refused.
ls -l /dev/net/tun >tun
refused theirs
chmod 600 /dev/net/tun
refused closed --replace
chmod 666 /dev/net/tun
unbloat shape wan --up 'cake bandwidth 1mbit' --quiet &
by_hand=$!
wait_for at_work
refused by-hand --replace
unbloat doctor wan --time 1s --up 2mbit --down 20mbit >doctor-by-hand || true
kill $by_hand
wait $by_hand
back_after refused 0 theirs

# Killed in the test: the machine takes it back by itself.
fix --replace --undo-after 2min >/dev/null 2>&1 &
pid=$!
wait_for at_work
sleep 3
kill -9 $pid
back_after 'killed in the test' 125 theirs

# Kept.
(fix --replace --json) >cured.json
state >kept
unbloat shape wan --status >shown
unbloat shape wan --status --json >shown.json
for form in shown shown.json; do
    unbloat fix before.json --for unbloat --wan wan --verify $form >verified-$form || true
done
refused earlier
pid=$(property MainPID)
{
    grep -E '^(Uid|Cap|NoNewPrivs)' /proc/$pid/status
    # The policy of each thread: 1 is SCHED_FIFO.
    for thread in /proc/$pid/task/*; do
        echo "policy $(sed 's/.*) //' "$thread/stat" | cut -d ' ' -f 39)"
    done
} >process

# Stopped, and started again: it is active once it shapes.
systemctl stop unbloat-shape
{ tc qdisc show; ls /sys/class/net; } >stopped
systemctl start unbloat-shape
unbloat shape wan --status >started

# Killed, and then hanging: packets pass, and it shapes again.
pid=$(property MainPID)
kill -9 $pid
passes pings-killed 2
wait_for again $pid
pid=$(property MainPID)
kill -STOP $pid
begin=$(seconds)
passes pings-hanging 2
wait_for again $pid
echo "$begin $(seconds) $(property NRestarts)" >hanging

journalctl --no-pager -b -u unbloat-shape >journal
# The interface appears anew, as at the start of the machine.
ip link del wan
wait_for is_inactive
link router wan 10.0.0.2 modem home 10.0.0.1
wait_for at_work
unbloat shape wan --status >appeared

# Taken back.
unbloat fix --undo
back_after 'taken back' 0 theirs

# Rates that follow as a service, without a queue for longer than its watchdog waits.
mkdir -p /etc/unbloat
for unit in serve watch shape@ autorate@; do
    sed "s|^ExecStart=unbloat|ExecStart=$(command -v unbloat)|" "/tmp/unbloat-$unit.service" \
        >"/etc/systemd/system/unbloat-$unit.service"
done
echo 'OPTIONS=--reflectors 10.0.1.2' >/etc/unbloat/autorate-wan.env
ip link add ifb4wan type ifb
ip link set ifb4wan up
tc qdisc add dev ifb4wan root cake bandwidth 20mbit ingress
systemctl start unbloat-autorate@wan
tc qdisc del dev wan root
sleep 12
tc qdisc add dev wan root cake bandwidth 5mbit
sleep 2
systemctl show -p ActiveState -p NRestarts unbloat-autorate@wan | sort >autorate
journalctl --no-pager -b -u unbloat-autorate@wan >autorate-journal
systemctl stop unbloat-autorate@wan

# Targets that are watched as a service: killed, it begins again. The way to them went with the interface.
ip route replace default via 10.0.0.1
echo 'TARGETS=10.0.1.2' >/etc/unbloat/watch.env
systemctl start unbloat-watch
sleep 8
systemctl kill -s KILL unbloat-watch
sleep 20
systemctl show -p ActiveState -p NRestarts unbloat-watch | sort >watch
journalctl --no-pager -b -u unbloat-watch >watch-journal
systemctl stop unbloat-watch
unbloat watch export /var/lib/private/unbloat-watch >watch-minutes

# The shaper with queues of one's own.
tc qdisc del dev wan root
ip link del ifb4wan
printf '%s\n' 'UP=cake bandwidth 3mbit nat' 'DOWN=cake bandwidth 18mbit nat ingress' \
    >/etc/unbloat/shape-wan.env
systemctl start unbloat-shape@wan
unbloat shape wan --status >shaped
journalctl --no-pager -b -u unbloat-shape@wan >shape-journal
systemctl stop unbloat-shape@wan

# The server, to which the client goes. The machine emulates each instruction: a low rate costs few.
echo 'OPTIONS=--max-rate 2mbit' >/etc/unbloat/serve.env
systemctl start unbloat-serve
sleep 2
in_client unbloat test 10.1.0.1 --time 5s --json --quiet >served.json || true
systemctl show -p ActiveState -p NRestarts unbloat-serve | sort >serve
journalctl --no-pager -b -u unbloat-serve >serve-journal
