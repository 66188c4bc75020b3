#!/bin/sh
# Makes the profile for the compiler: `profile.sh PROGRAM FOLDER`. PROGRAM counts what it executes (rustc's
# `-C profile-generate`), and runs the scenarios of this repository. The speed is measured by other scenarios
# (bench/scenarios). The counts are in FOLDER/profile.profdata.
set -eu

if [ $# != 2 ]; then
    echo "profile.sh: usage: profile.sh PROGRAM FOLDER" >&2
    exit 2
fi
program=$1
folder=$2
profdata=$(rustc --print target-libdir)/../bin/llvm-profdata

# Counts have a file for each run: the places of functions in memory, which they name, change.
runs=1000
counted() {
    runs=$((runs + 1))
    LLVM_PROFILE_FILE="$folder/$runs.profraw" "$program" "$@" --quiet >/dev/null || {
        echo "profile.sh: $program $* failed" >&2
        exit 1
    }
}
for scenario in scenarios/*.toml scenarios/papers/*/*.toml; do counted sim "$scenario"; done
counted sim scenarios/home-uplink.toml --series "$folder/series.csv" --packets "$folder/packets.csv" \
    --pcap "$folder/capture.pcapng"
counted pcap "$folder/capture.pcapng" --json

# Only functions that execute something often are kept. Without counts, a function is compiled as usual; with
# counts near zero, it would be small and slow, although other verbs may need it. The counts of seldom
# functions also vary: the keys of hash tables are random, and with them the steps of a search.
# An entry has the name, the hash in line 3, the number of counters in line 5, and the counters from line 7 on.
"$profdata" merge --text --num-threads=1 "$folder"/*.profraw | awk -v least=100000 '
    BEGIN { RS = ""; FS = "\n"; ORS = "\n\n"; print ":ir" }
    { sub(/^.*\n:ir\n/, "") }
    { for (i = 7; i < 7 + $5; i++) if ($i >= least) { print; next } }' >"$folder/profile.txt"
"$profdata" merge "$folder/profile.txt" --output "$folder/profile.profdata"
rm "$folder"/*.profraw
