//! Cycles of a graph: its strongly connected components of more than one node, after Tarjan ("Depth-first search and
//! linear graph algorithms", 1972).

/// The cycles among nodes, each in the order of their numbers. `arrows[node]` are the nodes that a node points to.
pub(super) fn circles(arrows: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut walk = Walk { arrows, met: vec![None; arrows.len()], low: vec![0; arrows.len()], ..Walk::default() };
    for node in 0..arrows.len() {
        if walk.met[node].is_none() {
            walk.visit(node);
        }
    }
    walk.circles.sort();
    walk.circles
}

#[derive(Default)]
struct Walk<'a> {
    arrows: &'a [Vec<usize>],
    /// When a node was first visited.
    met: Vec<Option<usize>>,
    /// The earliest open node that can be reached from it.
    low: Vec<usize>,
    /// Nodes whose cycle is not yet complete.
    open: Vec<usize>,
    count: usize,
    circles: Vec<Vec<usize>>,
}

impl Walk<'_> {
    fn visit(&mut self, node: usize) {
        let begun = self.count;
        self.met[node] = Some(begun);
        self.low[node] = begun;
        self.count += 1;
        self.open.push(node);
        for &next in &self.arrows[node] {
            match self.met[next] {
                None => {
                    self.visit(next);
                    self.low[node] = self.low[node].min(self.low[next]);
                }
                Some(met) if self.open.contains(&next) => self.low[node] = self.low[node].min(met),
                Some(_) => {}
            }
        }
        if self.low[node] == begun {
            let first = self.open.iter().position(|open| *open == node).unwrap_or(0);
            let mut circle = self.open.split_off(first);
            if circle.len() > 1 {
                circle.sort_unstable();
                self.circles.push(circle);
            }
        }
    }
}
