//! What tmux answers: its lists of panes, and what they show. Titles and screens are written by whoever runs there.

/// Server, pane and what else is listed (a title) of each pane that is not dead.
pub(super) fn living(list: &str) -> impl Iterator<Item = ((&str, &str), &str)> {
    list.lines().filter_map(|line| {
        let (server, rest) = line.split_once(' ')?;
        let (pane, title) = rest.strip_prefix("0 ")?.split_once(' ')?;
        Some(((server, pane), title))
    })
}

/// With which code and by which signal the program of a pane has ended. `whose`: the server's pid, the pane, the
/// program's pid. `None`: it is not listed.
pub(super) fn ended(list: &str, whose: [&str; 3]) -> Option<[Option<i32>; 2]> {
    let mut fields = list.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let pane = fields.find(|fields| fields.starts_with(&whose))?;
    Some([3, 4].map(|at| pane.get(at).and_then(|text| text.parse().ok())))
}

/// Server, terminal and what is shown of each pane, in order. The mark, the server's pid and the pane's terminal stand
/// behind what each pane shows. What follows the last is nothing, or cut.
pub(super) fn shown<'a>(text: &'a str, mark: &str) -> Vec<(&'a str, &'a str, &'a str)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((shown, behind)) = rest.split_once(mark) {
        let Some((whose, next)) = behind.split_once('\n') else { break };
        let whose = whose.trim_start();
        let (server, terminal) = whose.split_once(' ').unwrap_or((whose, ""));
        found.push((server, terminal, shown));
        rest = next;
    }
    found
}
