//! The timer on a router that takes a change back unless somebody stops it.
//!
//! It needs a POSIX shell and `sleep`. Its folder lies where a reboot empties it, as all that is
//! changed before the end is gone then too. Whoever renames the file `armed` decides what becomes of
//! the change, as only one can: `undoing` it is taken back, `keeping` it is kept. The timer also
//! follows whoever is ended in the middle of either.

use crate::script::quoted;

/// The shell's words for the folder of the change under way.
const FOLDER: &str = "dir=/run; [ -d /run ] || dir=/tmp; dir=$dir/unbloat-fix\n";

/// Seconds in which a change is kept or taken back once it is decided, on a slow machine too.
const DECIDED: u64 = 60;

/// The function that takes the change back. Commands that still run end before, be they of the change
/// or of another shell that takes it back: what it has begun must not go on behind this one's end.
const TAKE_BACK: &str = "take_back() {
    export dir
    left=300
    while [ $left -gt 0 ] && kill -0 \"$(cat \"$dir/applying\")\"; do
        sleep 1
        left=$((left - 1))
    done 2>/dev/null
    echo $$ >\"$dir/applying\"
    [ ! -e \"$dir/begun\" ] || sh \"$dir/unkeep\"
    sh \"$dir/undo\"
    rm -rf \"$dir\"
}
";

/// The script that starts the timer. It fails, and says why, if another change is under way.
///
/// The timer itself makes the folder, in a session of its own where there is `setsid`: so no folder
/// is without a timer, whatever ends this script.
pub fn arm(undo: &str, unkeep: &str, seconds: u64) -> String {
    let timer = quoted(&timer(undo, unkeep, seconds));
    format!(
        "timer={timer}\n\
         said=$($(command -v setsid) sh -c \"$timer\" timer </dev/null 2>&1 &)\n\
         [ \"$said\" = armed ] || {{ echo \"$said\"; exit 1; }}\n"
    )
}

/// The timer: it says `armed`, and from then on nothing.
fn timer(undo: &str, unkeep: &str, seconds: u64) -> String {
    format!(
        "{FOLDER}{TAKE_BACK}\
         trap '' HUP INT QUIT TERM PIPE\n\
         mkdir -m 700 \"$dir\" 2>/dev/null || {{ echo \"another fix is under way: $dir is there\"; exit; }}\n\
         echo $$ >\"$dir/timer\" && \
         cat >\"$dir/undo\" <<'END-OF-UNDO' && cat >\"$dir/unkeep\" <<'END-OF-UNKEEP' && \
         : >\"$dir/armed\" || {{ rm -rf \"$dir\"; exit; }}\n\
         {undo}END-OF-UNDO\n\
         {unkeep}END-OF-UNKEEP\n\
         echo armed\n\
         exec >/dev/null 2>&1\n\
         # A later change may have a folder of the same name. One without this file is about to be removed.\n\
         is_own() {{ [ ! -e \"$dir/timer\" ] || [ \"$(cat \"$dir/timer\")\" = $$ ]; }}\n\
         # wait_while FILE SECONDS\n\
         wait_while() {{\n\
         \x20   left=$2\n\
         \x20   while [ $left -gt 0 ] && is_own && [ -e \"$1\" ]; do\n\
         \x20       sleep 1\n\
         \x20       left=$((left - 1))\n\
         \x20       if [ -e \"$dir/again\" ]; then rm \"$dir/again\"; left=$2; fi\n\
         \x20   done\n\
         }}\n\
         wait_while \"$dir/armed\" {seconds}\n\
         is_own || exit\n\
         if mv \"$dir/armed\" \"$dir/undoing\"; then take_back; exit; fi\n\
         wait_while \"$dir\" {DECIDED}\n\
         is_own || exit\n\
         mv \"$dir/keeping\" \"$dir/undoing\"\n\
         if [ -e \"$dir/undoing\" ]; then take_back; else rm -rf \"$dir\"; fi\n"
    )
}

/// The script that gives the timer its whole time again. It fails if the timer does not run.
pub fn again() -> String {
    within(": >\"$dir/again\"\n")
}

/// The script that runs commands which know the folder of the timer as `$dir`. It fails if the
/// timer does not run.
pub fn within(commands: &str) -> String {
    format!(
        "{FOLDER}set -e\n[ -e \"$dir/armed\" ]\necho $$ >\"$dir/applying\"\n{commands}\
         rm -f \"$dir/applying\"\n"
    )
}

/// The script that takes the change back now. If the timer does so already, it waits for its end.
pub fn undo() -> String {
    format!(
        "{FOLDER}{TAKE_BACK}\
         trap '' HUP PIPE\n\
         if mv \"$dir/armed\" \"$dir/undoing\" 2>/dev/null; then take_back; fi\n\
         left={DECIDED}\n\
         while [ -d \"$dir\" ] && [ $left -gt 0 ]; do sleep 1; left=$((left - 1)); done\n\
         [ ! -d \"$dir\" ]\n"
    )
}

/// The script that fails if no change is under way.
pub fn is_under_way() -> String {
    format!("{FOLDER}[ -d \"$dir\" ]\n")
}

/// The script that keeps the change by these commands, and stops the timer. If a command fails, the
/// commands that [`arm`] was given take back what was kept, and the change is taken back. It fails if
/// the timer was first.
pub fn keep(commands: &str) -> String {
    format!(
        "{FOLDER}{TAKE_BACK}\
         trap '' HUP PIPE\n\
         mv \"$dir/armed\" \"$dir/keeping\" || {{ echo 'the timer was first'; exit 1; }}\n\
         : >\"$dir/begun\"\n\
         keep() (\n\
         set -e\n\
         {commands})\n\
         keep\n\
         status=$?\n\
         if [ $status = 0 ]; then\n\
         \x20   mv \"$dir/keeping\" \"$dir/kept\" || exit\n\
         \x20   rm -rf \"$dir\"\n\
         elif mv \"$dir/keeping\" \"$dir/undoing\"; then\n\
         \x20   take_back >/dev/null 2>&1\n\
         fi\n\
         exit $status\n"
    )
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::process::{Command, Output};

    use super::*;

    /// Arms a timer whose commands write what was done.
    fn armed(place: &Path, seconds: u64) {
        let script = arm(&says(place, "undone"), &says(place, "unkept"), seconds);
        assert!(run(place, &script).status.success());
    }

    /// Runs a script whose folder lies in `place`, for tests without rights.
    fn run(place: &Path, script: &str) -> Output {
        let here = format!("dir={}/unbloat-fix\n", place.display());
        Command::new("sh").args(["-c", &script.replace(FOLDER, &here)]).output().unwrap()
    }

    fn place(name: &str) -> PathBuf {
        let place = std::env::temp_dir().join(format!("timer-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&place).unwrap();
        place
    }

    /// Waits until the folder is gone, and returns the lines that were written.
    fn ended(place: &Path) -> String {
        let script = format!(
            "while [ -d {0}/unbloat-fix ]; do sleep 0.05; done; cat {0}/log; rm -r {0}",
            place.display()
        );
        String::from_utf8(Command::new("sh").args(["-c", &script]).output().unwrap().stdout)
            .unwrap()
    }

    fn says(place: &Path, word: &str) -> String {
        format!("echo {word} >>{}/log\n", place.display())
    }

    #[test]
    fn time_takes_it_back() {
        let place = place("time");
        armed(&place, 1);
        assert_eq!(ended(&place), "undone\n");
    }

    #[test]
    fn the_time_can_begin_again() {
        let place = place("again");
        armed(&place, 3);
        for _ in 0..2 {
            assert!(run(&place, &format!("sleep 2\n{}", again())).status.success());
        }
        let runs = run(&place, &within("sleep 1\n"));
        assert!(runs.status.success(), "4 s are over, and the timer runs");
        assert_eq!(ended(&place), "undone\n");
        assert!(!run(&place, &again()).status.success());
    }

    #[test]
    fn only_one_change_at_a_time() {
        let place = place("one");
        armed(&place, 60);
        let second = run(&place, &arm("", "", 60));
        assert!(!second.status.success());
        assert!(String::from_utf8(second.stdout).unwrap().starts_with("another fix is under way"));
        assert!(run(&place, &undo()).status.success());
        assert!(run(&place, &undo()).status.success(), "there is nothing more to take back");
        assert_eq!(ended(&place), "undone\n");
    }

    #[test]
    fn what_is_kept_is_not_taken_back() {
        let place = place("keep");
        armed(&place, 60);
        assert!(run(&place, &keep(&says(&place, "kept"))).status.success());
        assert!(!run(&place, &keep(&says(&place, "again"))).status.success());
        assert_eq!(ended(&place), "kept\n");
    }

    #[test]
    fn a_timer_leaves_a_later_change_alone() {
        let place = place("later");
        armed(&place, 2);
        assert!(run(&place, &keep("")).status.success());
        // The first timer still sleeps.
        let second = arm(&says(&place, "second"), "", 60);
        assert!(run(&place, &second).status.success());
        assert!(run(&place, "sleep 5").status.success());
        assert!(place.join("unbloat-fix/armed").exists());
        assert!(run(&place, &undo()).status.success());
        assert_eq!(ended(&place), "second\n");
    }

    #[test]
    fn what_cannot_be_kept_is_taken_back() {
        let place = place("unkept");
        armed(&place, 60);
        let commands = format!("{}false\n{}", says(&place, "begun"), says(&place, "never"));
        assert!(!run(&place, &keep(&commands)).status.success());
        assert_eq!(ended(&place), "begun\nunkept\nundone\n");
    }

    #[test]
    fn who_is_ended_while_keeping_is_followed() {
        let place = place("followed");
        armed(&place, 60);
        // The limit is shorter here, so that the test is.
        let commands = format!("{}kill -9 $$\n", says(&place, "begun"));
        assert!(!run(&place, &keep(&commands)).status.success());
        let limit = format!("\"$dir\" {DECIDED}");
        assert!(timer("", "", 60).contains(&limit));
        assert!(place.join("unbloat-fix/keeping").exists());
        // What the timer does then is what undo does.
        let moved = "mv \"$dir/keeping\" \"$dir/armed\"\n";
        assert!(run(&place, &format!("{FOLDER}{moved}")).status.success());
        assert!(run(&place, &undo()).status.success());
        assert_eq!(ended(&place), "begun\nunkept\nundone\n");
    }

    #[test]
    fn who_still_takes_it_back_is_not_overtaken() {
        let place = place("overtaken");
        let slow = format!("{}sleep 1\n{}", says(&place, "begun"), says(&place, "ended"));
        assert!(run(&place, &arm(&slow, "", 60)).status.success());
        let undoing = std::thread::spawn({
            let place = place.clone();
            move || run(&place, &undo())
        });
        while !place.join("log").exists() {
            std::thread::yield_now();
        }
        // The timer does this if the change is still there after a minute.
        run(&place, &format!("{FOLDER}{TAKE_BACK}take_back\n"));
        assert!(undoing.join().unwrap().status.success());
        assert_eq!(ended(&place), "begun\nended\n");
    }

    #[test]
    fn a_change_that_still_runs_ends_before_it_is_taken_back() {
        let place = place("running");
        armed(&place, 60);
        let slow = format!("sleep 1\n{}", says(&place, "changed"));
        let here = format!("dir={}/unbloat-fix\n", place.display());
        let script = within(&slow).replace(FOLDER, &here);
        let mut running = Command::new("sh").args(["-c", &script]).spawn().unwrap();
        let applying = place.join("unbloat-fix/applying");
        while !applying.exists() {
            std::thread::yield_now();
        }
        let undoing = std::thread::spawn({
            let place = place.clone();
            move || run(&place, &undo())
        });
        assert!(running.wait().unwrap().success());
        assert!(undoing.join().unwrap().status.success());
        assert_eq!(ended(&place), "changed\nundone\n");
    }
}
