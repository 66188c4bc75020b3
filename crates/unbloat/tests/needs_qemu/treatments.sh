# Treatments of the router, by a program on the router: refused, ended in different ways, and kept.
cp /tmp/before.json .
mkdir -p /etc/network/if-up.d /usr/local/sbin

# fix ARGUMENTS: takes the place of the shell, so that $! behind `fix &` is the program.
fix() {
    exec ip netns exec router unbloat fix before.json --for ifupdown --apply --yes --quiet \
        --undo-after 2min "$@"
}

state >state-plain
in_router tc qdisc add dev wan root handle 7: cake bandwidth 5mbit nat ack-filter
state >state-theirs

# Somebody's shaper is not replaced.
(fix) >refused 2>&1 || echo "status $?" >>refused
back_after refused 0 theirs
in_router tc qdisc del dev wan root
back_after 'theirs deleted' 0 plain

# Nor is somebody's device that has the name of ours.
in_router ip link add ifb-wan type ifb
state >state-device
(fix --replace) >taken 2>&1 || echo "status $?" >>taken
back_after 'their device' 0 device
in_router ip link del ifb-wan

# Killed in the test.
fix >/dev/null 2>&1 &
pid=$!
wait_for shaped
sleep 5
kill -9 $pid
back_after 'killed in the test' 125 plain

# Interrupted in the test.
fix >interrupted 2>&1 &
pid=$!
wait_for shaped
sleep 3
kill -INT $pid
wait $pid && echo "status $?" >>interrupted || echo "status $?" >>interrupted
back_after interrupted 2 plain

# The server is gone when the line is to be tested again.
fix >unmeasured 2>&1 &
pid=$!
wait_for shaped
kill -9 $server
wait $pid && echo "status $?" >>unmeasured || echo "status $?" >>unmeasured
back_after unmeasured 2 plain
serve

# Kept, and then taken back.
(fix --json) >cured.json
state >kept
{ in_router tc -s qdisc show; in_router tc -s filter show dev wan parent ffff:; } >shown
unbloat fix before.json --for ifupdown --wan wan --verify shown >verified || true
# Nor what somebody has set after that plan was stopped.
in_router /usr/local/sbin/unbloat-shaper stop
in_router tc qdisc add dev wan root handle 77: htb
state >state-theirs-again
(fix) >refused-again 2>&1 || echo "status $?" >>refused-again
back_after 'theirs again' 0 theirs-again
in_router tc qdisc del dev wan root
in_router /usr/local/sbin/unbloat-shaper start
in_router unbloat fix --undo >undone
back_after 'kept and taken back' 0 plain
