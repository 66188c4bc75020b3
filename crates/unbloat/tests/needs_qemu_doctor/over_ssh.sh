# The router, examined by its own program, and by the client's over ssh.
fresh
set_up over-ssh
# A login has no other path.
busybox --install -s /bin 2>/dev/null || true
mkdir -p /etc /root/.ssh /dev/pts
echo 'root:x:0:0:root:/root:/bin/sh' >/etc/passwd
echo 'root:x:0:' >/etc/group
echo /bin/sh >/etc/shells
chmod 700 /root /root/.ssh
dropbearkey -t ed25519 -f /tmp/host-key >host-key.text 2>/dev/null
ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519
cp /root/.ssh/id_ed25519.pub /root/.ssh/authorized_keys
echo "10.1.0.1 $(grep -o '^ssh-ed25519 [^ ]*' host-key.text)" >/root/.ssh/known_hosts
ip netns exec router dropbear -F -E -r /tmp/host-key >dropbear.log 2>&1 &
dropbear=$!
sleep 1

# examined NAMESPACE OPTIONS: what is said on both outputs, and the exit code.
examined() {
    namespace=$1
    shift
    ip netns exec "$namespace" unbloat doctor --time 1s --up 2mbit --down 20mbit "$@" 2>&1 || echo "status $?"
}
examined router >here
examined client --over ssh://root@10.1.0.1 >there
examined client --over ssh://root@10.1.0.1 nosuch0 >no-interface
explained() {
    namespace=$1
    shift
    ip netns exec "$namespace" unbloat doctor --explain "$@" --time 300ms 2>&1 || echo "status $?"
}
explained router wan >explained-here
explained client wan --over ssh://root@10.1.0.1 >explained-there
explained client wan9 --over ssh://root@10.1.0.1 >explained-missing
explained client wan --json --over ssh://root@10.1.0.1 >explained-json
mv /bin/tc /bin/tc.away
explained client wan --over ssh://root@10.1.0.1 >explained-without-tc
mv /bin/tc.away /bin/tc
rm /root/.ssh/authorized_keys
examined client --over ssh://10.1.0.1 >refused
kill $dropbear
wait $dropbear || true
examined client --over ssh://10.1.0.1:22 >gone
