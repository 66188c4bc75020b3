//! Tests of the program through its command line.

mod bad_input;
mod bench;
mod captures;
mod config;
mod doctor;
mod drawings;
#[cfg(target_os = "linux")]
mod explain;
#[cfg(target_os = "linux")]
mod faults;
mod fix;
mod foreign;
#[cfg(target_os = "linux")]
mod gettys;
mod guide;
#[cfg(unix)]
mod interrupts;
#[cfg(target_os = "linux")]
mod lab;
#[cfg(target_os = "linux")]
mod lab_runs;
mod manual;
mod observations;
mod pcap;
mod pcap_copies;
mod pcap_places;
mod pcap_tshark;
mod pcap_xplot;
mod plots;
mod qdisc_stats;
mod race;
mod replay;
mod schemas;
mod series;
#[cfg(target_os = "linux")]
mod serve;
#[cfg(target_os = "linux")]
mod shape;
mod streams;
#[cfg(unix)]
mod sweep;
#[cfg(target_os = "linux")]
mod terminal;
mod verbs;
#[cfg(target_os = "linux")]
mod watch;
#[cfg(target_os = "linux")]
mod watch_figures;
#[cfg(target_os = "linux")]
mod watch_hooks;
#[cfg(target_os = "linux")]
mod watch_many;
#[cfg(target_os = "linux")]
mod watch_reasons;
#[cfg(target_os = "linux")]
mod watch_store;
