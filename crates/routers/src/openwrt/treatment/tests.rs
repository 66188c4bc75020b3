use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use remedy::Wishes;
use units::Rate;

use super::*;
use crate::undo_timer;

/// A machine whose commands write down how they are called: `uci`, SQM's script, SQM's service.
struct Router(PathBuf);

impl Router {
    fn new(name: &str) -> Self {
        let router = Self(std::env::temp_dir().join(format!("sqm-{name}-{}", std::process::id())));
        for folder in ["run", "var/run/sqm", "var/state", "etc/config", "etc/init.d", "usr/lib/sqm"]
        {
            fs::create_dir_all(router.0.join(folder)).unwrap();
        }
        fs::write(router.0.join("etc/config/sqm"), "before\n").unwrap();
        fs::write(router.0.join("log"), "").unwrap();
        router
            .program("usr/lib/sqm/run.sh", "case $1 in start) : >STATE ;; *) rm -f STATE ;; esac");
        router.program("etc/init.d/sqm", "");
        router.program("uci", "");
        router
    }

    fn program(&self, name: &str, commands: &str) {
        let place = self.0.display();
        let short = name.rsplit('/').next().unwrap();
        let commands = commands
            .replace("STATE", &format!("{place}/var/run/sqm/eth0.state"))
            .replace("CONFIG", &format!("{place}/etc/config/sqm"));
        let text = format!("#!/bin/sh\necho {short} \"$@\" >>{place}/log\n{commands}\nexit 0\n");
        fs::write(self.0.join(name), text).unwrap();
        let made = Command::new("chmod").arg("755").arg(self.0.join(name)).status().unwrap();
        assert!(made.success());
    }

    /// Runs a script with the machine's folders in place of ours.
    fn run(&self, script: &str) -> Output {
        let place = self.0.display();
        let here = format!("dir={place}/run;");
        let mut script = script.replace("dir=/run; [ -d /run ] || dir=/tmp;", &here);
        for folder in ["/usr/lib/sqm", "/var/", "/etc/config", "/etc/init.d", "/etc/unbloat"] {
            script = script.replace(folder, &format!("{place}{folder}"));
        }
        self.shell(&script)
    }

    fn shell(&self, script: &str) -> Output {
        let path = format!("{}:/usr/bin:/bin", self.0.display());
        Command::new("sh").args(["-c", script]).env("PATH", path).output().unwrap()
    }

    /// What was called since the last time, without the settings of our section.
    fn calls(&self) -> Vec<String> {
        let log = fs::read_to_string(self.0.join("log")).unwrap();
        fs::write(self.0.join("log"), "").unwrap();
        let place = self.0.display().to_string();
        let calls = log.lines().map(|line| line.replace(&place, ""));
        calls.filter(|line| !line.contains("sqm.unbloat.")).collect()
    }

    fn has(&self, file: &str) -> bool {
        self.0.join(file).exists()
    }

    /// Arms the timer, and makes the change.
    fn apply(&self, treatment: &Treatment) -> Output {
        assert!(
            self.run(&undo_timer::arm(&treatment.undo, &treatment.unkeep, 60)).status.success()
        );
        self.run(&undo_timer::within(&treatment.apply))
    }

    fn keep(&self, treatment: &Treatment) -> Output {
        self.run(&undo_timer::keep(&treatment.keep))
    }
}

impl Drop for Router {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The treatment of a router whose SQM is so.
fn treat(sqm: &str, may_replace: bool) -> Result<Treatment, Refusal> {
    treat_with(sqm, "", "", may_replace)
}

/// The same where tc shows these queues and filters.
fn treat_with(
    sqm: &str,
    queues: &str,
    filters: &str,
    may_replace: bool,
) -> Result<Treatment, Refusal> {
    let rates = [Some(Rate::from_mbit(2)), Some(Rate::from_mbit(20))];
    let prescription = Prescription::of(None, rates, &Wishes::default());
    let answer =
        format!("== unfit\n{SQM}\n{sqm}== queues\n{queues}== redirect\n{filters}== devices\n");
    treatment(&prescription, "eth0", &answer, may_replace)
}

const APPLIED: [&str; 2] = ["uci -P /var/state set sqm.unbloat=queue", "run.sh start eth0"];
const REVERTED: &str = "uci -P /var/state revert sqm";

#[test]
fn a_change_is_volatile_and_is_taken_back() {
    let (router, treatment) = (Router::new("undo"), treat("", false).unwrap());
    assert!(router.apply(&treatment).status.success());
    assert_eq!(router.calls(), APPLIED);
    assert!(router.run(&undo_timer::undo()).status.success());
    assert_eq!(router.calls(), ["run.sh stop eth0", REVERTED]);
    assert!(!router.has("run/unbloat-fix") && !router.has("etc/unbloat"));
}

#[test]
fn what_was_not_changed_is_not_taken_back() {
    let (router, treatment) = (Router::new("armed"), treat("", false).unwrap());
    assert!(router.run(&undo_timer::arm(&treatment.undo, &treatment.unkeep, 60)).status.success());
    assert!(router.run(&undo_timer::undo()).status.success());
    assert_eq!(router.calls(), [""; 0]);
}

#[test]
fn a_change_is_kept_and_taken_back_later() {
    let (router, treatment) = (Router::new("keep"), treat("", false).unwrap());
    assert!(router.apply(&treatment).status.success());
    router.calls();
    let kept = router.keep(&treatment);
    assert!(kept.status.success(), "{kept:?}");
    let keeping =
        ["sqm enabled", "uci set sqm.unbloat=queue", "uci commit sqm", "sqm enable", REVERTED];
    assert_eq!(router.calls(), keeping);
    assert!(router.has("etc/unbloat/undo") && router.has("var/run/sqm/eth0.state"));
    let undo = fs::read_to_string(router.0.join("etc/unbloat/undo")).unwrap();
    assert!(router.shell(&undo).status.success());
    let undoing =
        ["run.sh stop eth0", "uci -q delete sqm.unbloat", "uci commit sqm", "run.sh start eth0"];
    assert_eq!(router.calls(), undoing);
    assert!(!router.has("etc/unbloat"));
}

#[test]
fn what_cannot_be_kept_is_as_before() {
    let (router, treatment) = (Router::new("unkept"), treat("", false).unwrap());
    assert!(router.apply(&treatment).status.success());
    router.program("uci", "case \"$*\" in 'commit sqm') echo half >CONFIG; exit 1 ;; esac");
    assert!(!router.keep(&treatment).status.success());
    let config = fs::read_to_string(router.0.join("etc/config/sqm")).unwrap();
    assert_eq!(config, "before\n");
    assert!(!router.has("etc/unbloat") && !router.has("var/run/sqm/eth0.state"));
    assert!(router.calls().contains(&"uci revert sqm".to_owned()));
}

#[test]
fn a_script_that_starts_nothing_has_failed() {
    let (router, treatment) = (Router::new("failed"), treat("", false).unwrap());
    router.program("usr/lib/sqm/run.sh", "");
    assert!(!router.apply(&treatment).status.success());
    assert!(router.run(&undo_timer::undo()).status.success());
}

#[test]
fn sections_of_others_are_replaced_only_if_the_user_says_so() {
    let theirs = "running\nsection eth1\n";
    let refused = treat(theirs, false);
    assert!(matches!(refused, Err(Refusal::Kept(Kept::Shaper(_)))), "{refused:?}");
    let (router, treatment) = (Router::new("replace"), treat(theirs, true).unwrap());
    fs::write(router.0.join("var/run/sqm/eth0.state"), "").unwrap();
    assert!(router.apply(&treatment).status.success());
    let off = "uci -P /var/state set sqm.eth1.enabled=0";
    assert_eq!(router.calls(), ["run.sh stop eth0", off, APPLIED[0], APPLIED[1]]);
    assert!(router.run(&undo_timer::undo()).status.success());
    assert_eq!(router.calls(), ["run.sh stop eth0", REVERTED, "run.sh start eth0"]);
    assert!(treatment.keep.contains("uci set sqm.eth1.enabled='1'"), "the kept undo");
    assert!(treatment.keep.contains("uci set sqm.eth1.enabled='0'"));
}

#[test]
fn an_earlier_plan_of_ours_is_replaced() {
    let sqm = Sqm::parse("== sqm\nrunning\nsection unbloat\nsection a;b\n== queues\n");
    assert_eq!(sqm, Sqm { is_running: true, others: vec![] });
    let ours = "running\nsection unbloat\n";
    assert!(treat(ours, false).is_ok());
    let cake = "qdisc cake 8001: dev eth0 root refcnt 2 bandwidth 1900Kbit\n";
    assert!(treat_with(ours, cake, "", false).is_ok());
    // Somebody has set something else since.
    let htb = "qdisc htb 77: dev eth0 root refcnt 2 r2q 10\n";
    let policed = format!("{cake}qdisc ingress ffff: dev eth0 parent ffff:fff1\n");
    let policer = "filter protocol ip pref 1 u32\n\taction order 1: police 0x1 rate 1Mbit\n";
    for (queues, filters) in [(htb, ""), (&policed, policer)] {
        let refused = treat_with(ours, queues, filters, false);
        assert!(matches!(refused, Err(Refusal::Kept(_))), "{queues}");
    }
}

#[test]
fn machines_that_are_not_openwrt_are_unfit() {
    let said = Command::new("sh").args(["-c", &unfit("not-there")]).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    let (reasons, sqm) = said.split_once(SQM).unwrap();
    let expected =
        ["there is no interface not-there", "this is not OpenWrt", "sqm-scripts is missing: opkg"];
    assert!(expected.iter().all(|reason| reasons.contains(reason)), "{said}");
    assert_eq!(sqm, "\n");
}
