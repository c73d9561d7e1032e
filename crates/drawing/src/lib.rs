//! Charts outside a browser: the script of the report pages draws them as SVG in a small JavaScript engine, and PNG is
//! made from that. So a saved chart is the chart of the page, and there is no second drawing.
//!
//! Owns the engine and the fonts. Must not know what a chart shows: charts come as JSON, and the script from `report`.

#![forbid(unsafe_code)]

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use rquickjs::{CatchResultExt, Context, Function, Runtime};

/// Pixels of a PNG for each pixel of the drawing: sharp on screens of twice the density.
const SHARP: f32 = 2.0;
/// Stack of the engine, in bytes: less than the 2 MiB that a thread of Rust has, of which it is a part.
const STACK: usize = 1 << 20;
/// Memory limit of the engine, in bytes: hundreds of times what a chart needs. A chart may come from an untrusted run.
const MEMORY: usize = 1 << 30;
/// How often the engine may pause to ask whether to go on, for all charts of an article: it asks every ten thousand
/// steps, so this is minutes.
const MOST_PAUSES: u32 = 1_000_000;
/// Families that stand in for a page's `sans-serif`, the first that is installed.
const SANS: [&str; 8] =
    ["Arial", "Helvetica", "Liberation Sans", "DejaVu Sans", "Noto Sans", "Roboto", "Ubuntu", "Cantarell"];

/// Why a chart could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum DrawError {
    /// The script failed.
    #[error("the chart could not be drawn: {0}")]
    Script(String),
    /// No font is installed, so a PNG would have no text.
    #[error(
        "no font is installed, so a PNG would have no text: install one (Debian: fonts-dejavu-core), or use the SVG"
    )]
    NoFont,
    /// The SVG could not become a picture.
    #[error("the picture could not be made: {0}")]
    Picture(String),
}

/// Draws charts.
pub struct Drawer {
    context: Context,
}

impl Drawer {
    /// A drawer that runs this script, which defines `drawSvg(chart)`.
    ///
    /// # Errors
    /// The script does not run.
    pub fn new(script: &str) -> Result<Drawer, DrawError> {
        let failed = |error: rquickjs::Error| DrawError::Script(error.to_string());
        let runtime = Runtime::new().map_err(failed)?;
        runtime.set_max_stack_size(STACK);
        runtime.set_memory_limit(MEMORY);
        let mut pauses = 0_u32;
        runtime.set_interrupt_handler(Some(Box::new(move || {
            pauses += 1;
            pauses > MOST_PAUSES
        })));
        let context = Context::full(&runtime).map_err(failed)?;
        context.with(|context| {
            let run: Result<(), _> = context.eval(script).catch(&context);
            run.map_err(|error| DrawError::Script(error.to_string()))
        })?;
        Ok(Drawer { context })
    }

    /// The chart of this JSON, as the page has it, as SVG text.
    ///
    /// # Errors
    /// It is no chart that the script knows.
    pub fn svg(&self, chart: &str) -> Result<String, DrawError> {
        self.context.with(|context| {
            let draw: Result<Function<'_>, _> = context.globals().get("drawSvg").catch(&context);
            let draw = draw.map_err(|error| DrawError::Script(error.to_string()))?;
            let drawn: Result<String, _> = draw.call((chart,)).catch(&context);
            drawn.map_err(|error| DrawError::Script(error.to_string()))
        })
    }
}

/// The fonts with which pictures are drawn.
pub struct Fonts(Options<'static>);

impl Fonts {
    /// The fonts of this system; `None` if there is none.
    #[must_use]
    pub fn of_this_system() -> Option<Fonts> {
        let mut options = Options::default();
        let fonts = options.fontdb_mut();
        fonts.load_system_fonts();
        let families: Vec<String> =
            fonts.faces().flat_map(|face| &face.families).map(|(name, _)| name.clone()).collect();
        let known = SANS.iter().map(|name| (*name).to_owned()).find(|name| families.contains(name));
        fonts.set_sans_serif_family(known.or_else(|| families.first().cloned())?);
        Some(Fonts(options))
    }

    /// An SVG as PNG.
    ///
    /// # Errors
    /// It is no SVG, or too large.
    pub fn png(&self, svg: &str) -> Result<Vec<u8>, DrawError> {
        let picture = |error: String| DrawError::Picture(error);
        let tree = Tree::from_str(svg, &self.0).map_err(|error| picture(error.to_string()))?;
        let size = tree.size().to_int_size().scale_by(SHARP).ok_or_else(|| picture("it has no size".to_owned()))?;
        let mut pixels =
            Pixmap::new(size.width(), size.height()).ok_or_else(|| picture("it is too large".to_owned()))?;
        resvg::render(&tree, Transform::from_scale(SHARP, SHARP), &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| picture(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_draws_and_its_mistakes_are_told() {
        let drawer =
            Drawer::new("globalThis.drawSvg = (chart) => `<svg>${JSON.parse(chart).id}</svg>`;").expect("it runs");
        assert_eq!(drawer.svg(r#"{"id": "a"}"#).expect("a drawing"), "<svg>a</svg>");
        let error = drawer.svg("no chart").expect_err("no JSON").to_string();
        assert!(error.starts_with("the chart could not be drawn: ") && error.contains("no"), "{error}");
        assert!(Drawer::new("let = ;").is_err());
        assert!(Drawer::new("let a = 1;").expect("it runs").svg("{}").is_err(), "it draws nothing");
        // A script that calls itself for ever is stopped by its stack, not by a crash.
        let endless = Drawer::new("globalThis.drawSvg = (chart) => drawSvg(chart);").expect("it runs");
        assert!(endless.svg("{}").is_err());
    }

    #[test]
    fn a_picture_has_twice_the_pixels_and_its_text_is_drawn() {
        let with = |text: &str| {
            format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"80\" height=\"20\"><rect width=\"80\" height=\"20\" \
                 fill=\"#ffffff\"/><text x=\"2\" y=\"15\" font-family=\"system-ui, sans-serif\" font-size=\"12\">{text}</text></svg>"
            )
        };
        let Some(fonts) = Fonts::of_this_system() else {
            assert!(std::env::var_os("CI").is_none(), "no font is installed");
            println!("skipped: no font is installed");
            return;
        };
        let png = |svg: &str| fonts.png(svg);
        let empty = png(&with("")).expect("a picture");
        assert_eq!(empty.get(1..4), Some(&b"PNG"[..]));
        assert_eq!(empty.get(16..24), Some(&[0, 0, 0, 160, 0, 0, 0, 40][..]), "twice 80 x 20");
        assert_ne!(empty, png(&with("MB/s")).expect("a picture"), "the text is not drawn");
        assert!(png("no picture").is_err());
    }
}
