# Two access points of one network on a bridge, and a station that goes from one to the other while a watch
# looks.
modprobe mac80211_hwsim radios=3
modprobe bridge
ip link set lo up
ip link add br0 type bridge
ip address add 10.9.0.1/24 dev br0
ip link set br0 up
for number in 0 1; do
    cat >/tmp/ap$number <<CONF
interface=wlan$number
bridge=br0
driver=nl80211
ssid=home
hw_mode=g
channel=$((1 + 5 * number))
CONF
done
hostapd -B /tmp/ap0 /tmp/ap1 >>state 2>&1
ip netns add client
ip -n client link set lo up
iw phy phy2 set netns name client
in_client() { ip netns exec client "$@"; }
cat >/tmp/station <<CONF
ctrl_interface=/run/wpa
network={
    ssid="home"
    key_mgmt=NONE
}
CONF
in_client wpa_supplicant -B -D nl80211 -i wlan2 -c /tmp/station >>state 2>&1
command() { in_client wpa_cli -p /run/wpa -i wlan2 "$@"; }
until command status | grep -q COMPLETED; do sleep 0.1; done
in_client ip address add 10.9.0.2/24 dev wlan2
in_client ping -c 2 10.9.0.1 >>state 2>&1
command status >>state
in_client iw dev wlan2 station dump >>state
in_client unbloat watch 10.9.0.1 --own --every 100ms --store kept --json --quiet --for 30s >lines 2>said &
sleep 8
command scan >>state
sleep 2
command scan_results >>state
here=$(command status | sed -n 's/^bssid=//p')
there=$(command scan_results | awk -v here="$here" '/home/ && $1 != here { print $1 }')
command roam "$there" >>state
sleep 5
command disconnect >>state
sleep 5
command reconnect >>state
wait
unbloat watch export kept --what seconds >seconds
rm -r kept
