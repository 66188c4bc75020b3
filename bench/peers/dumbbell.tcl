# The dumbbell of bench/scenarios in ns-2: client - near - far - server. `bench peers` runs it.
#
# The arguments are pairs, `seconds 60 rate 10000000 ...`; what came of it is printed as
# `= name number`.
# With `trace 1`, what happens at the bottleneck's queue is written to stdout in ns-2's own format.

array set wish $argv

# Only the headers that are used, so that packets are small: the setting that makes ns-2 fastest.
remove-all-packet-headers
add-packet-header IP TCP Flags Ping RTP

set ns [new Simulator]
foreach name {client near far server} {
    set $name [$ns node]
}

# DropTail keeps one packet fewer than its limit.
proc pfifo {from to rate delay limit} {
    global ns
    $ns simplex-link $from $to $rate $delay DropTail
    $ns queue-limit $from $to [expr {$limit + 1}]
}

proc plain {from to rate delay} {
    pfifo $from $to $rate $delay 100000
    pfifo $to $from $rate $delay 100000
}

# Adaptive RED that sets itself: ns-2.35 has no CoDel.
proc red {from to rate delay limit} {
    global ns
    Queue/RED set bytes_ false
    Queue/RED set queue_in_bytes_ false
    Queue/RED set mean_pktsize_ 1500
    Queue/RED set thresh_ 0
    Queue/RED set maxthresh_ 0
    Queue/RED set q_weight_ 0
    Queue/RED set adaptive_ 1
    Queue/RED set gentle_ true
    $ns simplex-link $from $to $rate $delay RED
    $ns queue-limit $from $to $limit
}

plain $client $near $wish(edge) $wish(edge_delay)
plain $far $server $wish(edge) $wish(edge_delay)
pfifo $far $near $wish(rate) $wish(delay) 100000
if {$wish(queue) eq "pfifo"} {
    pfifo $near $far $wish(rate) $wish(delay) $wish(limit)
} else {
    red $near $far $wish(rate) $wish(delay) $wish(limit)
}

# Linux's congestion control over one-way TCP: segments are counted, not bytes, nothing is
# negotiated, and 12 bytes of timestamps come on top of the 40 of IP and TCP.
Agent/TCP set timestamps_ true
Agent/TCP set ts_option_size_ 12
Agent/TCP set packetSize_ $wish(mss)
Agent/TCP set window_ [expr {$wish(window) / $wish(mss)}]
Agent/TCP set windowInit_ 10
Agent/TCP set minrto_ 0.2
Agent/TCP set tcpTick_ 0.001
Agent/TCPSink set ts_echo_rfc1323_ true
Agent/TCPSink/DelAck set interval_ 40ms

set flows {}
for {set flow 0} {$flow < $wish(flows)} {incr flow} {
    set tcp [new Agent/TCP/Linux]
    set sink [new Agent/TCPSink/Sack1/DelAck]
    $ns attach-agent $client $tcp
    $ns attach-agent $server $sink
    $ns connect $tcp $sink
    $tcp set fid_ $flow
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at 0 "$tcp select_ca cubic"
    $ns at 0 "$ftp start"
    lappend flows $tcp
}

if {[info exists wish(ping)]} {
    Agent/Ping set packetSize_ 84
    Agent/Ping instproc recv {from rtt} {}
    set ping [new Agent/Ping]
    set echo [new Agent/Ping]
    $ns attach-agent $client $ping
    $ns attach-agent $server $echo
    $ns connect $ping $echo
    proc ping_again {} {
        global ns ping wish
        $ping send
        $ns at [expr {[$ns now] + $wish(ping)}] ping_again
    }
    $ns at 0 ping_again
}

if {[info exists wish(call)]} {
    set udp [new Agent/UDP]
    set null [new Agent/Null]
    $ns attach-agent $client $udp
    $ns attach-agent $server $null
    $ns connect $udp $null
    set call [new Application/Traffic/CBR]
    $call attach-agent $udp
    $call set packetSize_ [expr {$wish(call_bytes) + 28}]
    $call set interval_ $wish(call)
    $ns at 0 "$call start"
}

if {[info exists wish(trace)]} {
    $ns trace-queue $near $far stdout
}
set monitor [$ns monitor-queue $near $far ""]

# The most memory that this process has held.
proc peak_kib {} {
    set status [open /proc/self/status]
    regexp {VmHWM:\s+(\d+)} [read $status] line kib
    close $status
    return $kib
}

# Of each flow, the segments that have been acknowledged.
proc finish {} {
    global flows wish monitor
    set bytes 0
    foreach tcp $flows {
        incr bytes [expr {([$tcp set ack_] + 1) * $wish(mss)}]
    }
    puts "= goodput_bytes $bytes"
    puts "= packets [$monitor set pdepartures_]"
    puts "= drops [$monitor set pdrops_]"
    puts "= peak_kib [peak_kib]"
    exit 0
}

$ns at $wish(seconds) finish
$ns run
