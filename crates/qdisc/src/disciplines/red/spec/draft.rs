//! `red` while it is being read.

use alloc::format;
use alloc::string::String;

use units::{Bytes, Prob, Rate, Span};

use super::{
    AUTOMATIC_LIMIT, LIMIT, RedAutomatic, RedSpec, RedThresholds, RedVariant, RedWeight, VARIANTS,
};
use crate::spec::{SpecError, Syntax, TcSize, Word, Words};

/// The options of `red` read so far.
#[derive(Default)]
pub(crate) struct Draft {
    auto: bool,
    limit: Option<Bytes>,
    min: Option<Bytes>,
    max: Option<Bytes>,
    average_packet: Option<Bytes>,
    weight: Option<RedWeight>,
    bandwidth: Option<Rate>,
    delay: Option<Span>,
    exact_weight: Option<Prob>,
    bottom: Option<Prob>,
    probability: Option<Prob>,
    variant: Option<RedVariant>,
    adaptive: bool,
    ecn: bool,
    hard_drop: bool,
}

impl Syntax for RedSpec {
    type Draft = Draft;
    const OPTIONS: &'static str = "limit, min, max, avpkt, burst, ewma, bandwidth, probability, \
                                   adaptive, ecn, noecn, harddrop, variant, auto; and with auto \
                                   also delay, weight, bottom";
    const UNMODELLED: &'static [&'static str] = &["nodrop", "qevent", "Plog"];

    /// An empty draft: tc fills in defaults, and `red_change` of Linux (net/sched/sch_red.c) takes
    /// all settings from tc.
    fn draft(&self) -> Draft {
        Draft::default()
    }

    fn option(
        draft: &mut Draft,
        option: Word<'_>,
        words: &mut Words<'_>,
    ) -> Result<bool, SpecError> {
        match option.text {
            "auto" => draft.auto = true,
            "limit" => draft.limit = Some(words.size(option)?),
            "min" => draft.min = Some(words.size(option)?),
            "max" => draft.max = Some(words.size(option)?),
            "avpkt" => draft.average_packet = Some(words.size(option)?),
            "burst" => {
                draft.weight = Some(RedWeight::Burst(words.count(option, 1..=u32::MAX)?));
            }
            "ewma" => draft.weight = Some(RedWeight::Log(words.count(option, 1..=31)?)),
            "bandwidth" => draft.bandwidth = Some(words.rate(option)?),
            "delay" => draft.delay = Some(words.span(option)?),
            "weight" => draft.exact_weight = Some(words.probability(option)?),
            "bottom" => draft.bottom = Some(words.probability(option)?),
            "probability" => draft.probability = Some(words.probability(option)?),
            "variant" => draft.variant = Some(words.choice(option, &VARIANTS)?),
            "adaptive" | "adaptative" => draft.adaptive = true,
            "ecn" => draft.ecn = true,
            "noecn" => draft.ecn = false,
            "harddrop" => draft.hard_drop = true,
            // tc -d prints how finely the kernel tabulates idle time; ours is exact.
            "Scell_log" => drop(words.count(option, 0..=31)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(draft: Draft) -> Result<Self, String> {
        let (thresholds, limit) = if draft.auto { draft.automatic() } else { draft.fixed() }?;
        let (variant, probability) =
            if draft.auto { (RedVariant::Gentle, 0.1) } else { (RedVariant::Floyd1993, 0.02) };
        Ok(Self {
            limit,
            thresholds,
            probability: draft.probability.unwrap_or(Prob::clamped(probability)),
            variant: draft.variant.unwrap_or(variant),
            adaptive: draft.adaptive,
            ecn: draft.ecn,
            hard_drop: draft.hard_drop,
        })
    }
}

impl Draft {
    /// The automatic settings and the limit. Settings that are not given are derived now if the
    /// bandwidth is given, else when the queue gets its link.
    fn automatic(&self) -> Result<(RedThresholds, Bytes), String> {
        if self.weight.is_some() {
            return Err(
                "`red auto` derives the weight of its average; leave out burst and ewma, or \
                        write it as it is, like `weight 0.002`"
                    .into(),
            );
        }
        if self.variant == Some(RedVariant::Linux) {
            return Err(
                "`red auto` is ns-2's; it goes with `variant 1993` or `variant gentle`".into()
            );
        }
        let told = RedAutomatic {
            bandwidth: self.bandwidth,
            delay: self.delay.unwrap_or(Span::ZERO),
            average_packet: self.average_packet.unwrap_or(RedAutomatic::default().average_packet),
            min: self.min,
            max: self.max,
            weight: self.exact_weight,
            bottom: self.bottom,
        };
        let automatic = self.bandwidth.map_or(told, |rate| told.settled(rate));
        if let (Some(min), Some(max)) = (automatic.min, automatic.max)
            && min >= max
        {
            return Err(format!(
                "`red auto` needs min < max; they are {} and {}",
                TcSize(min),
                TcSize(max)
            ));
        }
        let roomy = automatic.max.map_or(AUTOMATIC_LIMIT, |max| AUTOMATIC_LIMIT.max(max * LIMIT));
        Ok((RedThresholds::Automatic(automatic), self.limit.unwrap_or(roomy)))
    }

    fn fixed(&self) -> Result<(RedThresholds, Bytes), String> {
        if self.delay.is_some() || self.exact_weight.is_some() || self.bottom.is_some() {
            return Err("delay, weight and bottom of `red` go with `auto`; without it the weight \
                        is told as `burst` or `ewma`"
                .into());
        }
        let max = self.max.or(self.min.map(|min| min * 3)).or(self.limit.map(|limit| limit / 4));
        let max = max.ok_or(
            "`red` needs a limit or thresholds in bytes, like `red limit 400000` or \
             `red min 25kB max 75kB`; or `red auto`",
        )?;
        let limit = self.limit.unwrap_or(max * LIMIT);
        let min = self.min.unwrap_or(max / 3);
        let average_packet = self.average_packet.unwrap_or(Bytes(1000));
        if min == Bytes::ZERO || min >= max || max > limit {
            return Err(
                "`red` needs 0 < min < max <= limit; by default max is three times min or \
                        a quarter of limit, and min a third of max"
                    .into(),
            );
        }
        let weight = self.weight.unwrap_or_else(|| {
            let burst = (min * 2 + max).0 / (average_packet * 3).0;
            RedWeight::Burst(u32::try_from(burst).unwrap_or(u32::MAX))
        });
        if weight.log(min, average_packet).is_none() {
            return Err(match self.weight {
                Some(_) => "the burst of `red` is too small; it must be at least min / avpkt \
                            packets, and is by default (2 min + max) / (3 avpkt)"
                    .into(),
                None => format!(
                    "min {} and max {} are too small, or too close to each other, for packets of \
                     {} (avpkt); limit, min and max of `red` are bytes, like `red limit 400000`",
                    min.0,
                    max.0,
                    TcSize(average_packet)
                ),
            });
        }
        let bandwidth = self.bandwidth;
        Ok((RedThresholds::Fixed { min, max, average_packet, weight, bandwidth }, limit))
    }
}
