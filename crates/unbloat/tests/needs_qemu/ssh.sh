# A server of ssh on the router, which lets the client's root in by a key; the client knows the router.
mkdir -p /etc /root/.ssh /dev/pts
echo 'root:x:0:0:root:/root:/bin/sh' >/etc/passwd
echo 'root:x:0:' >/etc/group
echo /bin/sh >/etc/shells
chmod 700 /root /root/.ssh
dropbearkey -t ed25519 -f /tmp/host-key >/tmp/host-key.text 2>/dev/null
ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519
cp /root/.ssh/id_ed25519.pub /root/.ssh/authorized_keys
echo "10.1.0.1 $(grep -o '^ssh-ed25519 [^ ]*' /tmp/host-key.text)" >/root/.ssh/known_hosts

# serve_ssh SHELL: begins to serve. The router's sh is this program of the packages.
serve_ssh() {
    mkdir -p /usr/bin
    ln -sf "/bin/$1" /usr/bin/sh
    ip netns exec router dropbear -F -E -r /tmp/host-key >>/results/dropbear.log 2>&1 &
    dropbear=$!
    # The port 22 in the state LISTEN (Linux, Documentation/networking/proc_net_tcp.rst).
    wait_for in_router grep -q ':0016 [0:]* 0A' /proc/net/tcp /proc/net/tcp6
}
