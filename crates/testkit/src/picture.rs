//! Terminal text, with its colours, as an SVG: how the README's picture is made.

use std::fmt::Write as _;

const CELL_WIDTH: f64 = 8.4;
const LINE_HEIGHT: f64 = 20.0;
const MARGIN: f64 = 16.0;
const TITLE: f64 = 28.0;

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Style {
    bold: bool,
    dim: bool,
    colour: Option<u8>,
}

/// Draws `text`, which may hold SGR sequences; everything else is drawn as it is.
pub fn svg(text: &str, title: &str) -> String {
    let lines: Vec<Vec<(Style, String)>> = text.lines().map(spans).collect();
    let width = |line: &Vec<(Style, String)>| line.iter().map(|(_, t)| t.chars().count()).sum();
    let columns: usize = lines.iter().map(width).max().unwrap_or(0);
    #[expect(clippy::cast_precision_loss, reason = "a terminal is not that wide")]
    let (w, h) = (columns as f64 * CELL_WIDTH, lines.len() as f64 * LINE_HEIGHT);
    let (w, h) = (w + 2.0 * MARGIN, h + 2.0 * MARGIN + TITLE);
    let mut out = String::new();
    let _infallible = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w:.0}\" height=\"{h:.0}\" \
         viewBox=\"0 0 {w:.0} {h:.0}\" role=\"img\" aria-label=\"{}\">\n\
         <style>text{{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;\
         white-space:pre}}.b{{font-weight:700}}.d{{opacity:.6}}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"#16181d\"/>\n\
         <circle cx=\"20\" cy=\"18\" r=\"5\" fill=\"#e5654f\"/>\
         <circle cx=\"38\" cy=\"18\" r=\"5\" fill=\"#e0b345\"/>\
         <circle cx=\"56\" cy=\"18\" r=\"5\" fill=\"#62b35b\"/>\n",
        escape(title)
    );
    for (row, line) in lines.iter().enumerate() {
        let mut column = 0;
        #[expect(clippy::cast_precision_loss, reason = "a terminal is not that high")]
        let y = MARGIN + TITLE + (row as f64 + 0.8) * LINE_HEIGHT;
        for (style, text) in line {
            #[expect(clippy::cast_precision_loss, reason = "a terminal is not that wide")]
            let x = MARGIN + (column + indent(text)) as f64 * CELL_WIDTH;
            column += text.chars().count();
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            let class = match (style.bold, style.dim) {
                (true, _) => " class=\"b\"",
                (false, true) => " class=\"d\"",
                _ => "",
            };
            let colour = colour(style.colour);
            let _infallible = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{colour}\"{class}>{}</text>",
                escape(text)
            );
        }
    }
    out.push_str("</svg>\n");
    out
}

/// Renderers fold white space, so it becomes a place.
fn indent(text: &str) -> usize {
    text.chars().take_while(|c| c.is_whitespace()).count()
}

fn colour(code: Option<u8>) -> &'static str {
    match code {
        Some(31 | 91) => "#f2786b",
        Some(32 | 92) => "#7cc774",
        Some(33 | 93) => "#e6c15c",
        Some(34 | 94) => "#6fa8f5",
        Some(35 | 95) => "#c58af0",
        Some(36 | 96) => "#5fc9c9",
        Some(30 | 90) => "#7d828c",
        _ => "#d7dae0",
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn spans(line: &str) -> Vec<(Style, String)> {
    let mut spans = vec![(Style::default(), String::new())];
    let mut rest = line;
    while let Some(at) = rest.find("\u{1b}[") {
        let (before, after) = rest.split_at(at);
        push(&mut spans, before);
        let after = &after[2..];
        let Some(end) = after.find(|c: char| c.is_ascii_alphabetic()) else { break };
        if after[end..].starts_with('m') {
            let style =
                sgr(spans.last().map(|(style, _)| *style).unwrap_or_default(), &after[..end]);
            spans.push((style, String::new()));
        }
        rest = &after[end + 1..];
    }
    push(&mut spans, rest);
    spans
}

fn push(spans: &mut [(Style, String)], text: &str) {
    if let Some((_, last)) = spans.last_mut() {
        last.push_str(text);
    }
}

fn sgr(mut style: Style, codes: &str) -> Style {
    for code in codes.split(';') {
        match code.parse().unwrap_or(0_u8) {
            0 => style = Style::default(),
            1 => style.bold = true,
            2 => style.dim = true,
            22 => (style.bold, style.dim) = (false, false),
            39 => style.colour = None,
            colour @ (30..=37 | 90..=97) => style.colour = Some(colour),
            _ => {}
        }
    }
    style
}

#[cfg(test)]
mod tests {
    #[test]
    fn colours_become_fills_and_text_is_escaped() {
        let svg = super::svg("\u{1b}[31m<a>\u{1b}[0m b\nc", "t");
        assert!(svg.contains("fill=\"#f2786b\">&lt;a&gt;</text>"), "{svg}");
        assert!(svg.contains(">b</text>"), "{svg}");
        assert!(!svg.contains('\u{1b}'));
    }
}
