//! A plan as text: first what it does, then what to know, then the commands.

use observation::Heading;
use results::{Caution, Plan, PlannedDirection, PlannedRate, Step, Tested, Untreated};

use crate::measurement::rate_in_words;
use crate::number::duration;
use crate::style::{Style, Tone};
use crate::text::{printable, wrap, wrap_indented};

mod page;

pub(crate) use page::list;
pub use page::plan_page;

/// The plan for people, with commands that can be copied.
pub fn plan_text(plan: &Plan, style: Style) -> String {
    let mut text = plan_summary(plan, style);
    let Some(tested) = tested(plan) else {
        return text + &wrap(NOTHING) + "\n";
    };
    text += &(wrap(&tested) + "\n");
    let parts = [
        ("To apply it", &plan.steps),
        ("To see that it is in force", &plan.check),
        ("To take it back", &plan.undo),
    ];
    for (title, steps) in parts {
        text.push_str(&format!("\n{}\n", style.paint(title, Tone::Title)));
        steps.iter().for_each(|step| text.push_str(&step_in_words(step)));
    }
    text + "\n" + &wrap(THEN) + "\n"
}

/// The sentence for a plan that has nothing to do.
const NOTHING: &str = "Nothing to change.";

/// The sentence behind the commands.
const THEN: &str =
    "Then test again, to see how much shorter the delay is and how much rate the change costs.";

/// What a plan does in each direction, and what to know of it.
pub fn plan_summary(plan: &Plan, style: Style) -> String {
    let lines = sentences(plan).into_iter().map(|(sentence, tone)| {
        let words = wrap(&sentence);
        style.paint(&words, tone) + "\n"
    });
    lines.collect()
}

/// What a plan does in each direction, what to know of it, and what it cannot say.
fn sentences(plan: &Plan) -> Vec<(String, Tone)> {
    let directions = [(Heading::Up, plan.rates.upload), (Heading::Down, plan.rates.download)];
    let is_out_of_reach =
        |heading| heading == Heading::Up && plan.cautions.contains(&Caution::BeforeRouter);
    let directions = directions.map(|(heading, direction)| {
        let words = direction_in_words(heading, direction, is_out_of_reach(heading));
        (words, tone(direction))
    });
    let plain = |words| (words, Tone::Plain);
    // A note that the plan does not reach a queue comes before what the plan does.
    let (first, others): (Vec<&Caution>, Vec<&Caution>) =
        plan.cautions.iter().partition(|it| **it == Caution::BeforeRouter);
    let note = |it: &Caution| format!("Note: {}", caution_in_words(*it));
    let first = first.into_iter().map(note).map(plain);
    let cautions = others.into_iter().map(note);
    let lacks = plan
        .cannot_say
        .iter()
        .map(|lack| format!("{} cannot be told {}: {}.", plan.system, lack.what, lack.instead));
    first.chain(directions).chain(cautions.chain(lacks).map(plain)).collect()
}

/// How the plan was tried, in a sentence; `None` if the plan has nothing to do.
fn tested(plan: &Plan) -> Option<String> {
    (!plan.steps.is_empty()).then(|| tested_in_words(plan.tested, &plan.system))
}

/// The comment and the commands of a step, so that all can be pasted into a shell.
fn step_in_words(step: &Step) -> String {
    let comment = wrap_indented(&printable(&step.text), "# ").replace("\n ", "\n#") + "\n";
    let lines = step.commands.iter().map(|line| printable(line) + "\n");
    std::iter::once(comment).chain(lines).collect()
}

const fn tone(direction: PlannedDirection) -> Tone {
    match direction {
        PlannedDirection::Shaped(_) => Tone::Good,
        PlannedDirection::Left(_) => Tone::Plain,
    }
}

/// The part of the line's rate below which a plan does not leave just a little.
const LITTLE: f64 = 0.85;

/// What a plan does in a direction. If a shaper does not reach the queue (`is_out_of_reach`), the plan
/// promises no delay.
fn direction_in_words(
    heading: Heading,
    direction: PlannedDirection,
    is_out_of_reach: bool,
) -> String {
    let name = heading.in_words();
    match direction {
        PlannedDirection::Shaped(PlannedRate { line_mbit, bandwidth_mbit, expected }) => {
            let [expected_rate, line, setting] =
                [expected.rate_mbit, line_mbit, bandwidth_mbit].map(rate_in_words);
            let counts_more = format!(
                " The shaper's own setting is {setting}, because it counts the framing too."
            );
            let wait = match is_out_of_reach {
                true => String::new(),
                false => {
                    format!(" Others should wait {} at most.", duration(expected.added_p95_ms))
                }
            };
            format!(
                "Shape the {name} to {expected_rate} of packets, {} below the line's {line}.{}{wait}",
                if expected.rate_mbit >= LITTLE * line_mbit { "a little" } else { "well" },
                if setting == expected_rate { "" } else { &counts_more },
            )
        }
        PlannedDirection::Left(why) => {
            format!("Leave the {name} as it is: {}.", untreated_in_words(why))
        }
    }
}

pub(crate) fn untreated_in_words(why: Untreated) -> String {
    match why {
        Untreated::NotMeasured => "it was not measured, and no rate was named".to_owned(),
        Untreated::Partial => "the test ended early".to_owned(),
        Untreated::NotFilled => "the test did not fill it".to_owned(),
        Untreated::EndLimited => "the server or a computer was the limit, not the line".to_owned(),
        Untreated::ShortAlready { added_p95_ms } => format!(
            "others wait {} or less, and a shaper would cost rate and gain nothing",
            duration(added_p95_ms)
        ),
        Untreated::RateUnknown => {
            "the line may carry more than the test used; test again when nobody else uses the line, \
             or name the line's rate"
                .to_owned()
        }
        Untreated::Policed => {
            "a policer drops packets there, and a test cannot measure its rate; name the rate of \
             your contract"
                .to_owned()
        }
    }
}

fn caution_in_words(caution: Caution) -> String {
    match caution {
        Caution::RateUnconfirmed => {
            "no test of this line confirms the named rates. They must be the rates that a speed \
             test shows: a modem's sync rate is higher than the rate of packets. If a named rate \
             is too high, the queue stays in the modem, and the delay stays long. On ADSL, plan \
             from a test: `unbloat fix HOST`."
                .to_owned()
        }
        Caution::LinkUnknown => {
            "no kind of line is named, so the plan assumes one that fits the rates. Name yours \
             with --link."
                .to_owned()
        }
        Caution::MaybeAtm => {
            "the line is slow enough for ADSL, so packets count as the cells of ADSL. If the line \
             is of another kind, small packets pass a tenth slower than they could."
                .to_owned()
        }
        Caution::Varies => {
            "the rate varies, and a fixed shaper cannot follow it: when the line is \
             slower than the shaper, the delay comes back."
                .to_owned()
        }
        Caution::BeyondLine { hop } => format!(
            "the queue is beyond your line{}: a shaper at home helps only if nobody else uses that \
             bottleneck.",
            hop.map_or_else(String::new, |hop| format!(", at hop {hop}"))
        ),
        Caution::BeforeRouter => {
            "the upload's queue is in or next to the computer that tested. A shaper on the router \
             cannot shorten that queue: shape on that computer."
                .to_owned()
        }
        Caution::Fast { mbit } => format!(
            "many routers are too slow to shape {}: watch the load of the router's processor \
             during the next test.",
            rate_in_words(mbit)
        ),
        Caution::OneDirection => "the other direction is not shaped.".to_owned(),
        Caution::MaybeFaster { heading, most_mbit } => format!(
            "others may have used the {} during the test, so the line may carry up to {}. To use \
             the rest of the rate, test again when nobody else uses the line.",
            heading.in_words(),
            rate_in_words(most_mbit)
        ),
        Caution::RateAbove { heading, named_mbit, measured_mbit } => {
            let [named, measured] = [named_mbit, measured_mbit].map(rate_in_words);
            format!(
                "{named} was named for the {}, and the test measured {measured}. If the line \
                 carries only that rate, a shaper with the named rate does not end the delay: plan \
                 again without the named rate.",
                heading.in_words()
            )
        }
        Caution::RateBelow { heading, named_mbit, measured_mbit } => {
            let [named, measured] = [named_mbit, measured_mbit].map(rate_in_words);
            format!(
                "{named} was named for the {}, and the test measured {measured}, more than the \
                 shaper will let pass. Unless the line is sometimes as slow as the named rate, \
                 plan again without it.",
                heading.in_words()
            )
        }
    }
}

fn tested_in_words(tested: Tested, system: &str) -> String {
    match tested {
        Tested::Run => format!("We ran such a plan on {system}."),
        Tested::Parsed => format!(
            "In our tests, the configuration programs of {system} read such a plan as intended. We \
             have not run a plan on {system} itself."
        ),
        Tested::Documentation => format!(
            "This plan follows the documentation or the source of {system}. We have not run it \
             there."
        ),
    }
}

#[cfg(test)]
mod tests {
    use results::{Expected, PlannedRates};

    use super::*;

    #[test]
    fn a_plan_that_does_not_reach_the_queue_says_so_first_and_promises_nothing() {
        let expected = Expected { rate_mbit: 4.75, added_p95_ms: 8.8 };
        let upload = PlannedRate { line_mbit: 5.0, bandwidth_mbit: 4.89, expected };
        let rates = PlannedRates {
            upload: PlannedDirection::Shaped(upload),
            download: PlannedDirection::Shaped(upload),
        };
        let told = |cautions| {
            let plan = Plan { rates: rates.clone(), cautions, ..Plan::default() };
            sentences(&plan).into_iter().map(|(text, _)| text).collect::<Vec<_>>()
        };
        assert!(told(Vec::new())[0].ends_with("Others should wait 8.8 ms at most."));
        let all = told(vec![Caution::OneDirection, Caution::BeforeRouter]);
        assert!(all[0].contains("cannot shorten that queue"), "{all:?}");
        assert!(all[1].starts_with("Shape the upload") && !all[1].contains("wait"), "{all:?}");
        assert!(all[2].ends_with("Others should wait 8.8 ms at most."), "{all:?}");
    }
}
