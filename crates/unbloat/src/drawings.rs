//! Pages and pictures: their files are opened before anything runs, and drawn when there is a
//! result.

use std::ffi::OsStr;
use std::path::Path;

use report::{Figure, Page};
use units::nearest;

use crate::args::PlotArgs;
use crate::failure::Failure;
use crate::message::note;
use crate::staged::{self, Staged};

/// The page and the picture to be drawn; `None` for one that was not asked for.
#[derive(Debug, Default)]
pub(crate) struct Drawings {
    page: Option<Staged>,
    plot: Option<Plot>,
    /// True if the names of the written files are to be printed.
    tells: bool,
}

/// A picture.
#[derive(Debug)]
struct Plot {
    file: Staged,
    format: Format,
    /// The names of the plots to show; all plots if empty.
    only: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Svg,
    #[cfg(feature = "png")]
    Png,
}

impl Drawings {
    /// Fails if the picture's name has no known ending, or if a plot is named that is not in
    /// `known` (an empty `known` allows all names).
    pub(crate) fn check(plot: &PlotArgs, known: &[&str]) -> Result<(), Failure> {
        let strange = plot.only.iter().find(|name| !known.contains(&name.as_str()));
        if let (Some(name), false) = (strange, known.is_empty()) {
            return Err(unknown(name, known));
        }
        plot.plot.as_deref().map_or(Ok(()), |path| Format::of(path).map(|_| ()))
    }

    /// Fails unless the page's name ends in `.html`. A pipe or device may have any name.
    pub(crate) fn check_page(page: Option<&Path>) -> Result<(), Failure> {
        let is_one = |page: &Path| page.extension().is_some_and(|ending| ending == "html");
        match page.filter(|page| !is_one(page) && !staged::is_device(page)) {
            None => Ok(()),
            Some(page) => {
                let (is_picture, page) = (Format::of(page).is_ok(), page.display());
                let picture = if is_picture {
                    format!("; for a picture, write --plot {page}")
                } else {
                    String::new()
                };
                Err(Failure::Input(format!(
                    "{page}: the name of a page must end in .html{picture}"
                )))
            }
        }
    }

    /// Opens the files that were asked for. The plots must be among `known`; if `known` is empty,
    /// their names are checked when they are drawn.
    pub(crate) fn create(
        page: Option<&Path>,
        plot: &PlotArgs,
        known: &[&str],
    ) -> Result<Self, Failure> {
        Self::check(plot, known)?;
        Self::check_page(page)?;
        let format = plot.plot.as_deref().map(Format::of).transpose()?;
        let page = page.map(Staged::create).transpose()?;
        let plot = match (&plot.plot, format) {
            (Some(path), Some(format)) => {
                Some(Plot { file: Staged::create(path)?, format, only: plot.only.clone() })
            }
            _ => None,
        };
        Ok(Self { page, plot, tells: false })
    }

    /// The same, which print the names of the written files on stderr unless `quiet`.
    pub(crate) fn telling(self, quiet: bool) -> Self {
        Self { tells: !quiet, ..self }
    }

    /// True if a page or a picture was asked for.
    pub(crate) fn wanted(&self) -> bool {
        self.page.is_some() || self.plot.is_some()
    }

    /// Draws this page, if one was asked for, and gives it its name.
    pub(crate) fn write(self, page: impl FnOnce() -> Page) -> Result<(), Failure> {
        if !self.wanted() {
            return Ok(());
        }
        self.draw(&page())?;
        self.commit()
    }

    /// Draws page and picture into their temporary files; [`commit`](Self::commit) gives them their
    /// names.
    pub(crate) fn draw(&self, page: &Page) -> Result<(), Failure> {
        if let Some(plot) = &self.plot {
            plot.draw(&page.figures)?;
        }
        match &self.page {
            Some(file) => file.write(report::html(page).as_bytes()),
            None => Ok(()),
        }
    }

    /// Gives the files their final names.
    pub(crate) fn commit(self) -> Result<(), Failure> {
        let told = self.told();
        staged::commit_all(self.files())?;
        told.into_iter().for_each(note);
        Ok(())
    }

    /// The sentence about the written files; `None` if there is nothing to say.
    pub(crate) fn told(&self) -> Option<String> {
        let files = self.page.iter().chain(self.plot.iter().map(|plot| &plot.file));
        let names: Vec<String> = files.map(ToString::to_string).collect();
        (self.tells && !names.is_empty()).then(|| format!("wrote {}", names.join(" and ")))
    }

    /// The files, to be committed together with others.
    pub(crate) fn files(self) -> impl Iterator<Item = Staged> {
        self.page.into_iter().chain(self.plot.map(|plot| plot.file))
    }
}

impl Plot {
    fn draw(&self, figures: &[Figure]) -> Result<(), Failure> {
        let svg = report::svg(&chosen(figures, &self.only)?);
        match self.format {
            Format::Svg => self.file.write(svg.as_bytes()),
            #[cfg(feature = "png")]
            Format::Png => {
                let png = report::png(&svg);
                self.file.write(&png.map_err(|error| Failure::Run(error.to_string()))?)
            }
        }
    }
}

/// The figures named in `only`, in that order; all figures if `only` is empty.
fn chosen(figures: &[Figure], only: &[String]) -> Result<Vec<Figure>, Failure> {
    if only.is_empty() {
        return Ok(figures.to_vec());
    }
    let ids: Vec<&str> = figures.iter().map(|figure| figure.id.as_str()).collect();
    let find = |name: &String| {
        let figure = figures.iter().find(|figure| figure.id == *name);
        figure.cloned().ok_or_else(|| unknown(name, &ids))
    };
    only.iter().map(find).collect()
}

fn unknown(name: &str, there: &[&str]) -> Failure {
    let near = nearest(name, there).map(|near| format!(" did you mean `{near}`?"));
    let (name, near, all) = (report::printable(name), near.unwrap_or_default(), there.join(", "));
    Failure::Input(format!("--only: there is no plot `{name}` here;{near} there are {all}"))
}

impl Format {
    fn of(path: &Path) -> Result<Self, Failure> {
        match path.extension().and_then(OsStr::to_str) {
            Some("svg") => Ok(Self::Svg),
            #[cfg(feature = "png")]
            Some("png") => Ok(Self::Png),
            #[cfg(not(feature = "png"))]
            Some("png") => {
                let file = path.display();
                let wrong = "this program was built without PNG, to be small; write .svg";
                Err(Failure::Input(format!("--plot {file}: {wrong}")))
            }
            _ if staged::is_stdout(path) => Ok(Self::Svg),
            _ => {
                let file = path.display();
                Err(Failure::Input(format!("--plot {file}: the name must end in .svg or .png")))
            }
        }
    }
}
