#!/bin/sh
# What a program does most, for its compiler: `profile.sh PROGRAM FOLDER`. PROGRAM counts what it runs
# (`-C profile-generate=FOLDER`). The counts are merged into FOLDER/merged.profdata.
#
# The runs are not those by which the speed is measured (bench/scenarios).
set -eu

program=$1
folder=$2

simulate() { "$program" sim "scenarios/$1.toml" --set "duration=$2" --json >/dev/null; }

simulate home-uplink 60s
simulate household 60s
simulate web-crowd 30s
simulate lossy-wifi 60s
simulate page-against-call 30s
simulate asymmetric-line 60s
simulate changing-rate 60s
simulate many-flows 5s
simulate papers/codel/mix 60s
simulate papers/rfc7928/mix 60s
simulate papers/gettys/upload 60s
"$program" sim scenarios/home-uplink.toml --set duration=60s --pcap "$folder/capture.pcapng" --json >/dev/null
"$program" pcap "$folder/capture.pcapng" --json >/dev/null

tools=$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin
"$tools/llvm-profdata" merge -o "$folder/merged.profdata" "$folder"/*.profraw
rm -f "$folder"/*.profraw "$folder/capture.pcapng"
