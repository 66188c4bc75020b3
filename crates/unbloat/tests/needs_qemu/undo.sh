# Courses that are ended at each of their commands. A line of /tmp/cases says where the program is, what
# the router has, what ends the course, and when: a part of the way in thousandths, or `testing`, or
# `keeping` and the number of the command.
cp /tmp/before.json .
mkdir -p /etc/network/if-up.d /usr/local/sbin /usr/bin /tmp/case

# The router's commands of a course are found here first. Each counts itself, and the one whose turn it
# is lets the event happen before it runs.
cat >/usr/bin/counted <<'END'
#!/bin/dash
read -r count </tmp/case/count
read -r at </tmp/case/at
count=$((count + 1))
echo $count >/tmp/case/count
name=${0##*/}
echo "$name $*" >>/tmp/case/commands
case $count in
    "$at") /bin/dash /tmp/happens $$ ;;
    "${at#after }") (/bin/sleep 5; /bin/dash /tmp/happens $$) >/dev/null 2>&1 </dev/null & ;;
esac
exec /bin/$name "$@"
END
chmod 755 /usr/bin/counted
for name in tc ip mkdir mv cat chmod cp rm; do ln -s counted /usr/bin/$name; done

# happens PID: what ends the course, at the command that is this process.
cat >/tmp/happens <<'END'
PATH=/bin
cd /tmp/case
read -r event <event
read -r program <program
echo happened >happened
case $event in
    program) kill -9 $program ;;
    ssh) killall -9 ssh ;;
    dropbear) killall -9 dropbear ;;
    link) ip -n router link set lan down ;;
    server) kill -9 $(cat server) ;;
    path) ip -n modem link set net down ;;
    slow) sleep 100 ;;
    shell | all)
        # The command and the shells that run it; but the timer, which is there for this, lives on.
        process=$1 victims=''
        while [ "$process" -gt 1 ]; do
            read -r name <"/proc/$process/comm"
            case $name in dropbear | unbloat) break ;; esac
            [ "$(tail -c 6 "/proc/$process/cmdline" | tr -d '\0')" != timer ] || break
            victims="$victims $process"
            process=$(sed 's/.*) . //; s/ .*//' "/proc/$process/stat")
        done
        [ "$event" = shell ] || victims="$program $victims"
        kill -9 $victims
        ;;
esac
END

# The state without the handles that the kernel chooses, and the programs that run.
whole_state() {
    state | sed 's/ 8[0-9a-f]*: / /'
    ls /run /tmp
    for process in /proc/[0-9]*; do
        line=''
        read -r line <$process/cmdline || true
        [ -z "$line" ] || cat $process/comm
    done 2>/dev/null | sort
}

# has ROUTER: gives the router what a case wants, in place of what it had.
has() {
    in_router /usr/local/sbin/unbloat-shaper stop 2>/dev/null || true
    rm -rf /usr/local/sbin/unbloat-shaper /etc/network/if-up.d/unbloat-shaper /etc/unbloat
    in_router tc qdisc del dev wan root 2>/dev/null || true
    case $1 in
        fq_codel) in_router tc qdisc add dev wan root handle 7: fq_codel limit 1000 noecn ;;
        cake) in_router tc qdisc add dev wan root handle 7: cake bandwidth 5mbit nat ack-filter ;;
        ours) in_router sh -e /tmp/earlier.sh >/dev/null ;;
    esac
}

# begin: the course of a case; its program's process is $program.
begin() {
    : >/tmp/case/commands
    echo 0 >/tmp/case/count
    rm -f /tmp/case/happened
    (
        set -- before.json --for ifupdown --apply --yes --quiet --replace --undo-after 2min
        case $place in
            here) PATH=/usr/bin:/bin && exec /bin/ip netns exec router unbloat fix "$@" ;;
            *) exec ip netns exec client unbloat fix "$@" --over ssh://root@10.1.0.1 ;;
        esac
    ) >said 2>&1 &
    program=$!
    echo $program >/tmp/case/program
    echo $server >/tmp/case/server
}

# finish: waits until program and timer have ended, and sets `took`.
finish() {
    read -r began rest </proc/uptime
    sleep 3
    # A slow command goes on when the program has given up.
    if [ $event = slow ]; then sleep 110; fi
    for try in $(seq 150); do
        { [ ! -d /proc/$program ] && [ ! -e /run/unbloat-fix ]; } && break
        sleep 4
    done
    wait $program || true
    read -r ended rest </proc/uptime
    took=$((${ended%.*} - ${began%.*}))
}

# repair: what the event broke works again.
repair() {
    ip -n router link set lan up
    ip -n modem link set net up
    ip -n modem route replace 10.1.0.0/24 via 10.0.0.2
    [ -d /proc/$server ] || serve
    if [ "$serves_ssh" = yes ]; then
        # A server of ssh waits long for a connection that was cut.
        killall -9 dropbear 2>/dev/null || true
        wait $dropbear || true
        serve_ssh dash
    fi
    sleep 1
}

# kept_or_not ROUTER: a change that was kept is whole, and can be taken back.
kept_or_not() {
    whole_state >state-now
    cmp -s state-$1 state-now && return
    shaped && [ -e /etc/network/if-up.d/unbloat-shaper ] && in_router unbloat fix --undo >/dev/null
}

serves_ssh=no
if command -v dropbear >/dev/null; then
    serves_ssh=yes
    serve_ssh dash
fi
unbloat fix --up 1.5mbit --down 15mbit --for ifupdown --wan wan |
    sed -n '/^To apply it/,/^To see/ { /^To /d; p }' >/tmp/earlier.sh

while read -r place router event moment; do
    has $router
    if [ ! -e state-$router ]; then
        whole_state >state-$router
        # How many commands a course has whose test fails at once.
        echo server >/tmp/case/event
        echo 1 >/tmp/case/at
        begin
        finish
        repair
        cp /tmp/case/commands commands-$router
        has $router
    fi
    length=$(wc -l <commands-$router)
    queues=$(grep -n '^tc -s qdisc show' commands-$router | sed 's/:.*//; q')
    case $moment in
        testing) at="after $queues" ;;
        keeping*) at=$((queues + 1 + ${moment#keeping})) ;;
        *) at=$((1 + length * moment / 1000)) ;;
    esac
    echo "$at" >/tmp/case/at
    echo $event >/tmp/case/event
    # What comes behind the test is then what takes the change back, and the test costs nothing.
    case $moment in
        testing | keeping*) ;;
        *) [ "$at" -le "$queues" ] || kill -9 $server ;;
    esac
    begin
    finish
    repair
    command=$(sed -n "${at#after }p" /tmp/case/commands)
    what="$place, $router, $event at $moment ($at: $command)"
    kept_or_not $router || { echo "$what: changed"; diff state-$router state-now || true; cat said; }
    whole_state >state-now
    [ -e /tmp/case/happened ] || echo "$what: nothing happened"
    echo "$what: as before after $took s"
done </tmp/cases >back
