//! The rights that isolation gives, and giving them up.

use std::fs;
use std::thread;

use sandbox::{
    CapabilitySet, Namespace, drop_privileges, forbid_real_time, keep_only, use_real_time,
};

use super::{NESTED, ourselves, status};

pub(crate) fn parameters_are_of_one_namespace() {
    let (one, other) = (Namespace::new().unwrap(), Namespace::new().unwrap());
    let read = || fs::read_to_string("/proc/sys/net/ipv4/tcp_ecn").unwrap().trim().to_owned();
    one.set("net/ipv4/tcp_ecn", "1").unwrap();
    other.set("net/ipv4/tcp_ecn", "0").unwrap();
    assert_eq!(one.run(read).unwrap(), "1");
    assert_eq!(other.run(read).unwrap(), "0");
    let error = one.set("net/ipv4/no_such_thing", "1").unwrap_err().to_string();
    assert!(error.contains("net/ipv4/no_such_thing"), "{error}");
    assert!(one.set("net/ipv4/tcp_ecn", "many").is_err());
}

pub(crate) fn rights_are_renounced_for_good() {
    thread::spawn(|| {
        drop_privileges().unwrap();
        for set in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
            assert_eq!(status("thread-self", set), "0000000000000000", "{set}");
        }
        assert!(Namespace::new().is_err());
    })
    .join()
    .unwrap();
    // Only that thread has given them up.
    Namespace::new().unwrap();
}

pub(crate) fn some_rights_are_kept() {
    let other = &Namespace::new().unwrap();
    thread::scope(|scope| {
        let kept = CapabilitySet::SYS_ADMIN | CapabilitySet::NET_BIND_SERVICE;
        let keeper = scope.spawn(move || {
            keep_only(kept).unwrap();
            for set in ["CapPrm", "CapEff"] {
                assert_eq!(status("thread-self", set), format!("{:016x}", kept.bits()), "{set}");
            }
            for set in ["CapInh", "CapAmb"] {
                assert_eq!(status("thread-self", set), "0000000000000000", "{set}");
            }
            other.enter().unwrap();
            std::net::TcpListener::bind(("127.0.0.1", 80)).unwrap();
            // This would need NET_ADMIN.
            assert!(sandbox::network::set_up("lo").is_err());
            // A capability that is gone does not come back, and one that was never there is not
            // gained.
            keep_only(CapabilitySet::NET_ADMIN | CapabilitySet::NET_BIND_SERVICE).unwrap();
            let bind = CapabilitySet::NET_BIND_SERVICE.bits();
            assert_eq!(status("thread-self", "CapEff"), format!("{bind:016x}"));
        });
        keeper.join().unwrap();
    });
    // Only that thread has given them up.
    Namespace::new().unwrap();
}

pub(crate) fn who_has_renounced_can_nest() {
    let nested = thread::spawn(|| {
        drop_privileges().unwrap();
        ourselves().arg(NESTED).status().unwrap()
    });
    assert!(nested.join().unwrap().success());
}

pub(crate) fn real_time_is_taken_away() {
    // Whether it is allowed depends on the machine.
    if let Err(error) = thread::spawn(use_real_time).join().unwrap() {
        println!("no real-time priority here: {error}");
    }
    forbid_real_time().unwrap();
    // A thread with CAP_SYS_NICE needs no limit.
    let forbidden = thread::spawn(|| {
        drop_privileges().unwrap();
        use_real_time()
    });
    assert!(forbidden.join().unwrap().is_err());
}
