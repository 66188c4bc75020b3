//! `unbloat fix --apply`: the plan on a machine, kept if the line became better.
//!
//! The order matters. Before anything is changed, a timer runs on the machine that takes the change
//! back; it is stopped last. Until then the change does not outlive a reboot.

use std::io::{self, BufRead, IsTerminal};

use remedy::{Prescription, outcome};
use results::{LoadedDirection, Measurement, Plan, UndoReason};
use routers::{Kept, Refusal, Treatment};
use units::Span;

use super::machine::{Machine, sent};
use super::{measurement, plan, platform, prescribe};
use crate::args::FixArgs;
use crate::failure::Failure;
use crate::interrupt;
use crate::message::note;
use crate::output;
use crate::test;

/// The part of what a direction carried in the test that its queue must have sent.
const SEEN: f64 = 0.5;

/// Applies the plan, and prints what came of it.
pub(super) fn apply(args: &FixArgs) -> Result<(), Failure> {
    check_typed(args)?;
    interrupt::watch()?;
    let mut machine = Machine::reach(args.apply.over.as_ref())?;
    let wan = wan(args, &mut machine)?;
    // What was typed, and what is there, is checked before a test that takes its time.
    plan(args, &prescribe(args, None)?, Some(&wan))?;
    examine(args, &mut machine, &prescribe(args, None)?, &wan)?;
    let before = measurement(args)?.expect("a source is named");
    let prescription = prescribe(args, Some(&before))?;
    let plan = plan(args, &prescription, Some(&wan))?;
    if plan.steps.is_empty() {
        return print_plan(args, &plan);
    }
    let treatment = examine(args, &mut machine, &prescription, &wan)?;
    confirm(args, &plan, &machine)?;
    if interrupt::asked() {
        return Err(Failure::Interrupted("nothing was changed".into()));
    }
    let server = server(args, &before).to_owned();
    let treated = Course { args, machine: &mut machine, plan, before, treatment, server }.run()?;
    print(args, &treated)
}

/// Takes back what an earlier treatment kept.
pub(super) fn undo(args: &FixArgs) -> Result<(), Failure> {
    let mut machine = Machine::reach(args.apply.over.as_ref())?;
    let name = machine.name();
    match machine.take_back() {
        Ok(true) => output::print(&format!("{name} is as it was before unbloat changed it.")),
        Ok(false) => Err(Failure::Input(format!("{name}: nothing of unbloat is kept there"))),
        Err(said) => Err(Failure::Run(format!("{name}: {said}"))),
    }
}

/// Refuses what cannot be meant.
fn check_typed(args: &FixArgs) -> Result<(), Failure> {
    if args.source.is_none() {
        let wrong =
            "--apply tests the line before and after; name the machine that runs `unbloat serve`";
        return Err(Failure::Input(wrong.into()));
    }
    if !args.apply.yes && !io::stdin().is_terminal() {
        let wrong = "--apply asks before it changes anything, and nobody can answer; say --yes";
        return Err(Failure::Input(wrong.into()));
    }
    Ok(())
}

/// The interface that was named, or that of the machine's route to everywhere else.
fn wan(args: &FixArgs, machine: &mut Machine) -> Result<String, Failure> {
    // The connection is tried whatever was named.
    let routes = machine.ask(routers::DEFAULT_ROUTE)?;
    let found = routers::default_interface(&routes);
    let wan = args.wan.as_deref().or(found).map(str::to_owned);
    wan.ok_or_else(|| {
        Failure::Input(format!(
            "{} has no route to the Internet, so its interface to the provider is not known; name it: \
             --wan eth0",
            machine.name()
        ))
    })
}

/// The treatment of the machine as it is.
fn examine(
    args: &FixArgs,
    machine: &mut Machine,
    prescription: &Prescription,
    wan: &str,
) -> Result<Treatment, Failure> {
    let name = machine.name();
    let refused = |refusal: Refusal| {
        let hint = match refusal {
            Refusal::Kept(Kept::Shaper(_)) => " (--replace replaces it)",
            _ => "",
        };
        let sentence = report::printable(&refusal.to_string());
        Failure::Input(format!("{name}: {sentence}{hint}; nothing was changed"))
    };
    let script = platform(args).examination(prescription, wan).map_err(refused)?;
    let answer = machine.ask(&script)?;
    platform(args).treatment(prescription, wan, &answer, args.apply.replace).map_err(refused)
}

/// Shows the plan, and asks.
fn confirm(args: &FixArgs, plan: &Plan, machine: &Machine) -> Result<(), Failure> {
    if !args.volume.quiet {
        note(report::plan_summary(plan, output::style_of_stderr()).trim_end());
    }
    if args.apply.yes {
        return Ok(());
    }
    let (name, after) = (machine.name(), args.apply.undo_after);
    note(format_args!(
        "Change {name} so? It takes the change back by itself after {after} unless a test shows that it \
         helped. [y/N]"
    ));
    let mut answer = String::new();
    let _ = io::stdin().lock().read_line(&mut answer);
    match answer.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => Err(Failure::Interrupted("nothing was changed".into())),
    }
}

/// The server to which the line is tested again.
fn server<'a>(args: &'a FixArgs, before: &'a Measurement) -> &'a str {
    match &args.source {
        Some(source) if !super::is_file(source) => source,
        _ => &before.server,
    }
}

/// A change under way.
struct Course<'a> {
    args: &'a FixArgs,
    machine: &'a mut Machine,
    plan: Plan,
    before: Measurement,
    treatment: Treatment,
    server: String,
}

impl Course<'_> {
    /// Makes the change, and keeps it or takes it back.
    fn run(mut self) -> Result<results::Treatment, Failure> {
        let _held = interrupt::hold();
        let after_span: Span = self.args.apply.undo_after;
        self.machine.arm(&self.treatment, after_span)?;
        let (after, mut reasons) = match self.changed() {
            Ok((after, reasons)) => (Some(after), reasons),
            Err(reason) => (None, vec![reason]),
        };
        let is_interrupted = interrupt::asked();
        if is_interrupted {
            reasons = vec![UndoReason::Interrupted];
        }
        let after = after.filter(|_| !is_interrupted);
        if reasons.is_empty()
            && let Err(said) = self.machine.keep(&self.treatment)
        {
            reasons.push(UndoReason::Failed { said });
        }
        if !reasons.is_empty() {
            self.say("taking the change back");
            self.machine.undo(after_span);
        }
        Ok(results::Treatment {
            machine: self.machine.destination(),
            plan: self.plan,
            before: self.before,
            after,
            kept: reasons.is_empty(),
            reasons,
            ..results::Treatment::default()
        })
    }

    /// Makes the change and measures the line again. The reasons are those to take it back.
    fn changed(&mut self) -> Result<(Measurement, Vec<UndoReason>), UndoReason> {
        self.say("applying the plan");
        let failed = |said| UndoReason::Failed { said };
        self.machine.apply(&self.treatment).map_err(failed)?;
        let shown = self.machine.queues().map_err(failed)?;
        self.check_in_force(&shown)?;
        if interrupt::asked() {
            return Err(UndoReason::Interrupted);
        }
        self.say("testing again");
        let (token, quiet) = (self.args.token_file.as_deref(), self.args.volume.quiet);
        let after = test::measure(&self.server, token, quiet)
            .map_err(|_| UndoReason::NotMeasured { heading: None })?;
        let shown_after = self.machine.queues().map_err(failed)?;
        let mut reasons = self.still(&after, &shown, &shown_after);
        reasons.extend(outcome::reasons(&self.plan.rates, &self.before, &after));
        Ok((after, reasons))
    }

    fn check_in_force(&self, shown: &str) -> Result<(), UndoReason> {
        for queue in &self.treatment.queues {
            let device = queue.device.clone();
            match queue.differences(shown) {
                Some(missing) if missing.is_empty() => {}
                missing => {
                    let missing = missing.unwrap_or_default();
                    return Err(UndoReason::NotInForce { device, missing });
                }
            }
        }
        Ok(())
    }

    /// The queues that the traffic of the test passed by.
    fn still(&self, after: &Measurement, shown: &str, shown_after: &str) -> Vec<UndoReason> {
        let queues = &self.treatment.queues;
        let sent = sent(queues, shown).into_iter().zip(sent(queues, shown_after));
        let passed_by = queues.iter().zip(sent).filter(|(queue, (before, after_bytes))| {
            let carried = after.judged().find(|(heading, _)| *heading == queue.shaper.heading);
            let carried = carried.map_or(0.0, |(_, direction)| carried_bytes(direction));
            (after_bytes.saturating_sub(*before) as f64) < carried * SEEN
        });
        passed_by
            .map(|(queue, _)| UndoReason::CountersStill { device: queue.device.clone() })
            .collect()
    }

    fn say(&self, what: &str) {
        if !self.args.volume.quiet {
            note(format_args!("{}: {what}", self.machine.name()));
        }
    }
}

/// The bytes that the line carried while the figures of a direction were taken.
fn carried_bytes(direction: &LoadedDirection) -> f64 {
    let [begin, end] = direction.window_s;
    direction.rate_mbit.unwrap_or_default() * (end - begin) * 1e6 / 8.0
}

fn print_plan(args: &FixArgs, plan: &Plan) -> Result<(), Failure> {
    output::print(&match args.json {
        true => report::json(plan),
        false => report::plan_text(plan, output::style()),
    })
}

fn print(args: &FixArgs, treated: &results::Treatment) -> Result<(), Failure> {
    output::print(&match args.json {
        true => report::json(treated),
        false => report::treatment_text(treated, output::style()),
    })?;
    let is_interrupted = treated.reasons.contains(&UndoReason::Interrupted);
    match treated.kept || is_interrupted {
        true => Ok(()),
        false => Err(Failure::Crossed(Vec::new())),
    }
}
