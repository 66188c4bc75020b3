//! `unbloat fix --apply`: the plan on a machine, kept if the line became better.

use std::io::{self, BufRead, IsTerminal};

use remedy::Prescription;
use results::{Measurement, Plan, UndoReason};
use routers::{Kept, Refusal, Treatment};

use super::course::{Change, Course};
use super::{measurement, page, plan, platform, prescribe, print_plan};
use crate::args::FixArgs;
use crate::failure::Failure;
use crate::interrupt;
use crate::machine::Machine;
use crate::message::note;
use crate::output;

/// Applies the plan, and prints what came of it.
pub(super) fn apply(args: &FixArgs) -> Result<(), Failure> {
    check_typed(args)?;
    let page = page(args)?;
    interrupt::watch()?;
    let mut machine = Machine::reach_as_root(args.apply.over.as_ref())?;
    machine.is_free().map_err(Failure::before_any_change)?;
    let wan = wan(args, &mut machine)?;
    // What was typed, and what is there, is checked before a test that takes its time.
    examine(args, &mut machine, &prescribe(args, None)?, &wan)?;
    plan(args, &prescribe(args, None)?, Some(&wan))?;
    let before = measurement(args).map_err(Failure::before_any_change)?;
    if interrupt::asked() {
        return Err(Failure::Interrupted("nothing was changed".into()));
    }
    let before = before.expect("a source is named");
    let prescription = prescribe(args, Some(&before))?;
    let plan = plan(args, &prescription, Some(&wan))?;
    if plan.steps.is_empty() {
        print_plan(args, &plan)?;
        return page.telling(args.volume.quiet).write(|| report::plan_page(&plan));
    }
    let examined = examine(args, &mut machine, &prescription, &wan)?;
    confirm(args, &plan, &machine)?;
    if interrupt::asked() {
        return Err(Failure::Interrupted("nothing was changed".into()));
    }
    let server = server(args, &before).to_owned();
    let change = Change { plan, prescription, treatment: examined.treatment };
    let (machine, answer) = (&mut machine, examined.answer);
    let course = Course { args, machine, wan, answer, change, before, server, tuning: None };
    let treated = course.run()?;
    // A pipe that is closed must not cost the page.
    let printed = print(args, &treated);
    page.telling(args.volume.quiet).write(|| report::treatment_page(&treated))?;
    printed?;
    let is_interrupted = treated.reasons.contains(&UndoReason::Interrupted);
    match treated.kept || is_interrupted {
        true => Ok(()),
        false => Err(Failure::Crossed(Vec::new())),
    }
}

/// Takes back what an earlier treatment kept.
pub(super) fn undo(args: &FixArgs) -> Result<(), Failure> {
    let mut machine = Machine::reach_as_root(args.apply.over.as_ref())?;
    let name = machine.name();
    match machine.take_back() {
        Ok(true) => output::print(&format!("{name}: what unbloat had changed was taken back.")),
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
    let routes = machine.ask(routers::DEFAULT_ROUTE).map_err(Failure::before_any_change)?;
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

/// A machine that can be treated.
struct Examined {
    /// What it said of its state.
    answer: String,
    treatment: Treatment,
}

/// The treatment of the machine as it is.
fn examine(
    args: &FixArgs,
    machine: &mut Machine,
    prescription: &Prescription,
    wan: &str,
) -> Result<Examined, Failure> {
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
    let answer = machine.ask(&script).map_err(Failure::before_any_change)?;
    let treatment = platform(args).treatment(prescription, wan, &answer, args.apply.replace);
    Ok(Examined { treatment: treatment.map_err(refused)?, answer })
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
        "Change {name}? It takes the change back by itself after {after} unless a test shows that \
         the change helped. [y/N]"
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

fn print(args: &FixArgs, treated: &results::Treatment) -> Result<(), Failure> {
    output::print(&match args.json {
        true => report::json(treated),
        false => report::treatment_text(treated, output::style()),
    })
}
