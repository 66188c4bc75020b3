use super::*;

/// A machine that forbids nothing.
fn machine() -> Settings {
    Settings {
        most_user_namespaces: Some(1000),
        most_network_namespaces: Some(1000),
        has_user_namespaces: true,
        ..Settings::default()
    }
}

fn explain(stage: Stage, error: Errno, settings: &Settings) -> String {
    Failure { stage, error }.explain(settings)
}

#[test]
fn the_very_setting_is_named() {
    let (user, refused) = (Stage::User, Errno::PERM);
    let none = Settings { most_user_namespaces: Some(0), ..machine() };
    let text = explain(user, Errno::NOSPC, &none);
    assert!(text.contains("user.max_user_namespaces is 0"), "{text}");
    assert!(text.contains("sysctl -w user.max_user_namespaces=15000"), "{text}");

    let none = Settings { most_network_namespaces: Some(0), ..machine() };
    let text = explain(Stage::Network, Errno::NOSPC, &none);
    assert!(text.contains("user.max_net_namespaces is 0"), "{text}");

    let text = explain(user, refused, &Settings { debian: Some(0), ..machine() });
    assert!(text.contains("sysctl -w kernel.unprivileged_userns_clone=1"), "{text}");

    // Ubuntu allows a user namespace, but no rights in it.
    for stage in [Stage::IdMapping, Stage::Network, Stage::Administration] {
        let ubuntu = Settings { ubuntu: Some(1), ..machine() };
        let text = explain(stage, refused, &ubuntu);
        assert!(text.contains("kernel.apparmor_restrict_unprivileged_userns=0"), "{text}");
    }

    let text = explain(user, refused, &Settings { is_filtered: true, ..machine() });
    assert!(text.contains("seccomp=unconfined"), "{text}");

    let old = Settings { has_user_namespaces: false, ..machine() };
    let text = explain(user, Errno::INVAL, &old);
    assert!(text.contains("CONFIG_USER_NS"), "{text}");

    let text = explain(user, Errno::NOSPC, &machine());
    assert!(text.contains("nested too deeply"), "{text}");
}

#[test]
fn root_is_not_told_to_be_root() {
    let as_root = "run the lab as root";
    let text = explain(Stage::User, Errno::PERM, &machine());
    assert!(text.contains(as_root), "{text}");

    let root = Settings { is_root: true, may_map_root: true, ..machine() };
    let text = explain(Stage::User, Errno::PERM, &root);
    assert!(!text.contains(as_root) && text.contains("CAP_SYS_ADMIN"), "{text}");

    // Since Linux 5.12 root cannot be mapped into a user namespace without CAP_SETFCAP.
    let root = Settings { may_map_root: false, ..root };
    let text = explain(Stage::IdMapping, Errno::PERM, &root);
    assert!(text.contains("CAP_SETFCAP") && text.contains("ordinary user"), "{text}");
    assert!(!text.contains(as_root) && !text.contains("security module"), "{text}");
    let text = explain(Stage::User, Errno::PERM, &root);
    assert!(!text.contains("CAP_SETFCAP"), "{text}");
}

#[test]
fn a_failure_passes_through_a_pipe() {
    let stages =
        [Stage::Rehearsal, Stage::User, Stage::IdMapping, Stage::Network, Stage::Administration];
    for stage in stages {
        let failed = Err(Failure { stage, error: Errno::NOSPC });
        assert_eq!(Failure::from_bytes(Failure::to_bytes(failed)), failed);
    }
    assert_eq!(Failure::from_bytes(Failure::to_bytes(Ok(()))), Ok(()));
}

#[test]
fn a_process_of_several_threads_is_told_so() {
    std::thread::scope(|scope| {
        let (end, wait) = std::sync::mpsc::channel::<()>();
        scope.spawn(move || wait.recv());
        let error = isolate().unwrap_err().to_string();
        assert!(error.contains("one thread"), "{error}");
        drop(end);
    });
}
