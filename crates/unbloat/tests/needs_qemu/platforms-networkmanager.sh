cp /tmp/before.json .
# With NetworkManager, whose dispatcher starts the script once the interface is connected.
cat >/etc/NetworkManager/conf.d/wan.conf <<'END'
[keyfile]
unmanaged-devices=*,except:interface-name:wan
[device]
match-device=interface-name:wan
managed=1
END
cat >/etc/NetworkManager/system-connections/wan.nmconnection <<'END'
[connection]
id=wan
type=ethernet
interface-name=wan
[ipv4]
method=manual
address1=10.0.0.2/24,10.0.0.1
[ipv6]
method=disabled
END
chmod 600 /etc/NetworkManager/system-connections/wan.nmconnection
connected() {
    ip route show default | grep -q ' dev wan '
}
# NetworkManager waits until somebody switches a device of software on.
connect() {
    ip link set wan up
    wait_for connected
}

systemctl enable NetworkManager-dispatcher
systemctl start NetworkManager
appear connect
treated networkmanager connect

# NetworkManager's own CAKE, whose options it loses.
nmcli connection modify wan +tc.qdiscs 'root cake bandwidth 2mbit nat'
nmcli connection up wan
unbloat doctor wan --time 1s --json >doctor.json || true
{
    cat /etc/NetworkManager/system-connections/wan.nmconnection
    tc qdisc show dev wan root
} >lost
