//! The timer on a router that takes a change back unless somebody stops it.
//!
//! It needs a POSIX shell and `sleep`. Its folder lies where a reboot empties it, as all that is
//! changed before the end is gone then too.

/// The shell's words for the folder of the change under way.
const FOLDER: &str = "dir=/run; [ -d /run ] || dir=/tmp; dir=$dir/unbloat-fix\n";

/// The script that starts the timer. It fails, and says why, if another change is under way.
///
/// Whoever renames the file `armed` decides: only one can.
pub fn arm(undo: &str, seconds: u64) -> String {
    format!(
        "{FOLDER}\
         mkdir -m 700 \"$dir\" || {{ echo \"another fix is under way: $dir is there\"; exit 1; }}\n\
         cat >\"$dir/undo\" <<'END-OF-UNDO' && : >\"$dir/armed\" || {{ rm -rf \"$dir\"; exit 1; }}\n\
         {undo}END-OF-UNDO\n\
         (\n\
         \x20   trap '' HUP INT QUIT TERM PIPE\n\
         \x20   exec </dev/null >/dev/null 2>&1\n\
         \x20   left={seconds}\n\
         \x20   while [ $left -gt 0 ] && [ -e \"$dir/armed\" ]; do\n\
         \x20       sleep 1\n\
         \x20       left=$((left - 1))\n\
         \x20       if [ -e \"$dir/again\" ]; then rm \"$dir/again\"; left={seconds}; fi\n\
         \x20   done\n\
         \x20   mv \"$dir/armed\" \"$dir/undoing\" || exit\n\
         \x20   sh \"$dir/undo\"\n\
         \x20   rm -rf \"$dir\"\n\
         ) &\n"
    )
}

/// The script that gives the timer its whole time again. It fails if the timer does not run.
pub fn again() -> String {
    within(": >\"$dir/again\"\n")
}

/// The script that runs commands which know the folder of the timer as `$dir`. It fails if the
/// timer does not run.
pub fn within(commands: &str) -> String {
    format!("{FOLDER}set -e\n[ -e \"$dir/armed\" ]\n{commands}")
}

/// The script that takes the change back now. If the timer does so already, it waits for its end.
pub fn undo() -> String {
    format!(
        "{FOLDER}\
         trap '' HUP PIPE\n\
         if mv \"$dir/armed\" \"$dir/undoing\" 2>/dev/null; then\n\
         \x20   sh \"$dir/undo\"\n\
         \x20   rm -rf \"$dir\"\n\
         fi\n\
         left=60\n\
         while [ -d \"$dir\" ] && [ $left -gt 0 ]; do sleep 1; left=$((left - 1)); done\n\
         [ ! -d \"$dir\" ]\n"
    )
}

/// The script that keeps the change by these commands, and stops the timer. If a command fails, the
/// commands of `unkeep` run, and the change is taken back. It fails if the timer was first.
pub fn keep(commands: &str, unkeep: &str) -> String {
    format!(
        "{FOLDER}\
         trap '' HUP PIPE\n\
         mv \"$dir/armed\" \"$dir/keeping\" || {{ echo 'the timer was first'; exit 1; }}\n\
         keep() (\n\
         set -e\n\
         {commands})\n\
         keep\n\
         status=$?\n\
         if [ $status != 0 ]; then\n\
         {unkeep}\
         sh \"$dir/undo\"\n\
         fi\n\
         rm -rf \"$dir\"\n\
         exit $status\n"
    )
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::process::{Command, Output};

    use super::*;

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
        assert!(run(&place, &arm(&says(&place, "undone"), 1)).status.success());
        assert_eq!(ended(&place), "undone\n");
    }

    #[test]
    fn the_time_can_begin_again() {
        let place = place("again");
        assert!(run(&place, &arm(&says(&place, "undone"), 3)).status.success());
        for _ in 0..2 {
            assert!(run(&place, &format!("sleep 2\n{}", again())).status.success());
        }
        let armed = run(&place, &within("sleep 1"));
        assert!(armed.status.success(), "4 s are over, and the timer runs");
        assert_eq!(ended(&place), "undone\n");
        assert!(!run(&place, &again()).status.success());
    }

    #[test]
    fn only_one_change_at_a_time() {
        let place = place("one");
        assert!(run(&place, &arm(&says(&place, "undone"), 60)).status.success());
        let second = run(&place, &arm("", 60));
        assert!(!second.status.success());
        assert!(String::from_utf8(second.stdout).unwrap().starts_with("another fix is under way"));
        assert!(run(&place, &undo()).status.success());
        assert!(run(&place, &undo()).status.success(), "there is nothing more to take back");
        assert_eq!(ended(&place), "undone\n");
    }

    #[test]
    fn what_is_kept_is_not_taken_back() {
        let place = place("keep");
        assert!(run(&place, &arm(&says(&place, "undone"), 60)).status.success());
        assert!(
            run(&place, &keep(&says(&place, "kept"), &says(&place, "unkept"))).status.success()
        );
        assert!(!run(&place, &keep(&says(&place, "again"), "")).status.success());
        assert_eq!(ended(&place), "kept\n");
    }

    #[test]
    fn what_cannot_be_kept_is_taken_back() {
        let place = place("unkept");
        assert!(run(&place, &arm(&says(&place, "undone"), 60)).status.success());
        let commands = format!("{}false\n{}", says(&place, "begun"), says(&place, "never"));
        assert!(!run(&place, &keep(&commands, &says(&place, "unkept"))).status.success());
        assert_eq!(ended(&place), "begun\nunkept\nundone\n");
    }
}
