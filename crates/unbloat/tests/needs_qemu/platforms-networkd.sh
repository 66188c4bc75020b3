cp /tmp/before.json .
# With systemd-networkd, which is started anew, too.
configured() {
    networkctl --no-pager list | grep -q ' wan .* configured'
}

cat >/etc/systemd/network/10-wan.network <<'END'
[Match]
Name=wan

[Network]
Address=10.0.0.2/24
Gateway=10.0.0.1
IPv6AcceptRA=no
LinkLocalAddressing=no
END
systemctl start systemd-networkd
wait_for configured
state >state-networkd
fix --for networkd --rtt 50ms >networkd.json
state >kept-networkd
appear wait_for configured
wait_for shaped
tc qdisc show >appeared-networkd
systemctl restart systemd-networkd
wait_for configured
tc qdisc show >restarted
fix --for networkd >again 2>&1 || echo "status $?" >>again
tar -C / -cf left.tar etc/systemd etc/unbloat usr/local
unbloat fix --undo
back_after networkd 0 networkd
# What is typed ends what was typed before, of another platform too, and is taken back by its own last part.
typed() {
    unbloat fix --up 2mbit --down 20mbit --wan wan --for "$1" | sed -n "/^$2/,/^$3/p" |
        grep -v '^T[oh]' >typed
    sh typed || true
}
for platform in networkd tc networkd; do
    typed $platform 'To apply it' 'To see that'
    wait_for shaped
    state >typed-$platform
done
typed networkd 'To take it back' 'Then test again'
back_after typed 0 networkd
journalctl --no-pager -b -u systemd-networkd >journal
# What networkd ignores it says in its journal alone.
cat >>/etc/systemd/network/10-wan.network <<'END'
[CAKE]
Parent=root
Bandwidth=9620kbit
OverheadByte=18
RTTSec=50ms
NAT=maybe
FlowIsolationMode=dual-srchost
MPUBytes=300
Bandwidth=9.62M
OverheadBytes=-4
NAT=Yes
Wash=off
END
networkctl reload
sleep 1
journalctl --no-pager -b -u systemd-networkd | grep -o '10-wan.network:[0-9]*: .*' >ignored
unbloat doctor wan --time 1s --json >doctor.json || true
