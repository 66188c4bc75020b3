//! The types that hold any discipline of the list in [`disciplines`](crate::disciplines): settings,
//! queue and statistics, chosen at run time and dispatched without a pointer.

macro_rules! disciplines {
    ($($name:ident($spec:ty),)*) => {
        /// A queue discipline and its settings, as text or as a value.
        ///
        /// ```
        /// use qdisc::QdiscSpec;
        ///
        /// let spec: QdiscSpec = "codel target 10ms ecn".parse()?;
        /// assert_eq!(
        ///     spec.to_string(),
        ///     "codel limit 1000p target 10ms interval 100ms ecn variant rfc8289"
        /// );
        /// let error = "codel tarhget 10ms".parse::<QdiscSpec>().unwrap_err();
        /// assert_eq!(error.offset, 6);
        /// # Ok::<(), qdisc::SpecError>(())
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum QdiscSpec {
            $(#[doc = concat!("See [`", stringify!($spec), "`].")] $name($spec),)*
        }

        impl QdiscSpec {
            /// Every kind of queue.
            pub const KINDS: &'static [DisciplineKind] = &[$(DisciplineKind::of::<$spec>(),)*];

            /// The name of this kind of queue: tc's where tc has it.
            pub const fn kind(&self) -> &'static str {
                match self {
                    $(Self::$name(_) => <$spec>::KIND,)*
                }
            }

            /// An empty queue of this kind. All its randomness comes from `rng`.
            pub fn build<P: Headers>(&self, link: LinkInfo, rng: Rng) -> AnyQdisc<P> {
                match self {
                    $(Self::$name(spec) => AnyQdisc::$name(spec.build(link, rng)),)*
                }
            }

            /// Texts that describe queues, for tests: of every kind the shortest, and then those of
            /// [`Discipline::EXAMPLES`].
            pub fn examples() -> impl Iterator<Item = &'static str> {
                let texts = |kind: &'static DisciplineKind| {
                    core::iter::once(kind.shortest).chain(kind.examples.iter().copied())
                };
                Self::KINDS.iter().flat_map(texts)
            }

            /// Runs the visitor for every kind of queue.
            pub fn visit_kinds(visitor: &mut impl Visitor) {
                $(visitor.visit::<$spec>();)*
            }
        }

        impl FromStr for QdiscSpec {
            type Err = SpecError;

            fn from_str(text: &str) -> Result<Self, SpecError> {
                let (kind, options) = spec::kind_and_options(text)?;
                $(if let Some(read) = <$spec as Syntax>::read(kind, options) {
                    return read.map(Self::$name);
                })*
                Err(spec::unknown_kind(kind, Self::KINDS))
            }
        }

        impl QdiscSpec {
            /// The settings after `tc qdisc change` with these options. The text names the same
            /// kind of queue. Options that the text does not name stay as they are where tc leaves
            /// them, and get their defaults with `red` and `sfb`.
            ///
            /// # Errors
            /// If the text does not describe such a queue, names no option and changes nothing, or
            /// changes a setting that cannot change while the queue runs.
            pub fn changed(&self, text: &str) -> Result<Self, SpecError> {
                let (kind, options) = spec::kind_and_options(text)?;
                let changed = match self {
                    $(Self::$name(spec) => spec.read_change(kind, options).map(Self::$name),)*
                }?;
                self.check_change(&changed).map_err(|error| kind.error(error))?;
                Ok(changed)
            }
        }

        impl fmt::Display for QdiscSpec {
            /// Writes all settings, defaults included. The text reads back as the same settings.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$name(spec) => spec.fmt(f),)*
                }
            }
        }

        $(impl From<$spec> for QdiscSpec {
            fn from(spec: $spec) -> Self {
                Self::$name(spec)
            }
        })*

        /// A queue of any of the listed disciplines, made by [`QdiscSpec::build`].
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub enum AnyQdisc<P: Headers> {
            $(
                #[doc = concat!("See [`", stringify!($spec), "`].")]
                $name(<$spec as Discipline>::Queue<P>),
            )*
        }

        impl<P: Headers> Qdisc<P> for AnyQdisc<P> {
            fn enqueue(&mut self, packet: P, now: Time, out: &mut dyn Signals<P>) {
                match self {
                    $(Self::$name(queue) => queue.enqueue(packet, now, out),)*
                }
            }

            // In a caller's loop, the state of all disciplines would be set up for each packet.
            #[inline(never)]
            fn dequeue(&mut self, now: Time, out: &mut dyn Signals<P>) -> Dequeued<P> {
                match self {
                    $(Self::$name(queue) => queue.dequeue(now, out),)*
                }
            }

            #[cold]
            #[inline(never)]
            fn change(
                &mut self,
                like: Self,
                now: Time,
                out: &mut dyn Signals<P>,
            ) -> Result<(), ChangeError> {
                match (self, like) {
                    $((Self::$name(queue), Self::$name(like)) => queue.change(like, now, out),)*
                    _ => Err(ChangeError::Kind),
                }
            }

            fn change_rate(&mut self, rate: Rate) -> bool {
                match self {
                    $(Self::$name(queue) => queue.change_rate(rate),)*
                }
            }

            #[inline]
            fn bypass(&self) -> Limit {
                match self {
                    $(Self::$name(queue) => Qdisc::<P>::bypass(queue),)*
                }
            }

            fn is_tail_drop_fifo(&self) -> bool {
                match self {
                    $(Self::$name(queue) => Qdisc::<P>::is_tail_drop_fifo(queue),)*
                }
            }

            fn backlog(&self) -> Backlog {
                match self {
                    $(Self::$name(queue) => Qdisc::backlog(queue),)*
                }
            }

            fn ahead_of_new_flow(&self) -> Bytes {
                match self {
                    $(Self::$name(queue) => queue.ahead_of_new_flow(),)*
                }
            }

            fn shaping(&self) -> Option<Shaping> {
                match self {
                    $(Self::$name(queue) => queue.shaping(),)*
                }
            }

            fn hold_of_new_flow(&self, now: Time) -> Span {
                match self {
                    $(Self::$name(queue) => queue.hold_of_new_flow(now),)*
                }
            }

            fn observes_idle(&self) -> bool {
                match self {
                    $(Self::$name(queue) => queue.observes_idle(),)*
                }
            }
        }

        impl<P: Headers> AnyQdisc<P> {
            /// The state of the controller at `now`, as `tc -s` shows it.
            pub fn stats(&self, now: Time) -> AnyStats {
                match self {
                    $(Self::$name(queue) => AnyStats::$name(<$spec>::stats(queue, now)),)*
                }
            }
        }

        /// The statistics of any of the listed disciplines.
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
        #[non_exhaustive]
        pub enum AnyStats {
            $(
                #[doc = concat!("See [`", stringify!($spec), "`].")]
                $name(<$spec as Discipline>::Stats),
            )*
        }

        impl DisciplineStats for AnyStats {
            fn overlimits(&self, tally: &Tally) -> u64 {
                match self {
                    $(Self::$name(stats) => stats.overlimits(tally),)*
                }
            }
        }
    };
}

pub(crate) use disciplines;
