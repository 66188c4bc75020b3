# A tunnel of IPsec that ends at the shaped interface of the router, and WireGuard without a peer.
for module in gcm ghash-generic seqiv xfrm_user esp4 wireguard; do
    modprobe $module
done

# ends NAMESPACE HERE THERE OUT IN: one end of the tunnel, with the numbers of the packets that it sends
# and gets.
ends() {
    key="aead rfc4106(gcm(aes)) 0x0102030405060708090a0b0c0d0e0f1011121314 128"
    ip -n $1 xfrm state add src $2 dst $3 proto esp spi $4 reqid 1 mode tunnel $key
    ip -n $1 xfrm state add src $3 dst $2 proto esp spi $5 reqid 1 mode tunnel $key
}

# sent NAMESPACE FROM TO HERE THERE: these packets are sent in the tunnel.
sent() {
    ip -n $1 xfrm policy add src $2 dst $3 dir out tmpl src $4 dst $5 proto esp reqid 1 mode tunnel
}

# wanted NAMESPACE DIRECTION FROM TO THERE HERE: these packets are let in from the tunnel alone.
wanted() {
    ip -n $1 xfrm policy add src $3 dst $4 dir $2 tmpl src $5 dst $6 proto esp reqid 1 mode tunnel
}

home=10.1.0.0/24 far=10.2.0.2/32
ends router 10.2.0.1 10.2.0.2 1 2
ends server 10.2.0.2 10.2.0.1 2 1
sent router $home $far 10.2.0.1 10.2.0.2
wanted router fwd $far $home 10.2.0.2 10.2.0.1
sent server $far $home 10.2.0.2 10.2.0.1
wanted server in $home $far 10.2.0.1 10.2.0.2
ours wan 10mbit
load ipsec up 2
load ipsec down 2
end_ours ipsec wan

ip -n router link add wg0 type wireguard
ip -n router address add 10.3.0.1/24 dev wg0
ip -n router link set wg0 up
ours wg0 10mbit
in_client ping -c 3 10.3.0.2 >refused || true
sleep 1
end_ours wireguard wg0
