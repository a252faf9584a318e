//! Groups of states that reach each other (strongly connected components), found without recursion.

/// The groups reachable from some roots. Every edge leads within a group or to a group with a lower index.
#[derive(Debug)]
pub(super) struct Components {
    /// The group of each state; [`UNREACHED`] for states that nothing leads to.
    pub(super) of: Vec<usize>,
    /// The states of each group.
    pub(super) groups: Vec<Vec<usize>>,
    has_cycle: bool,
}

/// The group of a state that was not reached.
const UNREACHED: usize = usize::MAX;

/// A state on the search path, with the successors that are left.
struct ComponentVisit {
    state: usize,
    successors: Vec<usize>,
}

/// What the search knows so far.
struct ComponentSearch<S> {
    /// When each state was first seen.
    order: Vec<usize>,
    /// The earliest open state that each one leads back to.
    lowest: Vec<usize>,
    /// States whose group is still open.
    stack: Vec<usize>,
    next: usize,
    successors: S,
}

impl<S: Fn(usize, &mut Vec<usize>)> ComponentSearch<S> {
    fn enter(&mut self, state: usize) -> ComponentVisit {
        self.order[state] = self.next;
        self.lowest[state] = self.next;
        self.next += 1;
        self.stack.push(state);
        let mut successors = Vec::new();
        (self.successors)(state, &mut successors);
        ComponentVisit { state, successors }
    }
}

impl Components {
    /// Finds the groups among `count` states that `roots` lead to (Tarjan's algorithm).
    pub(super) fn new(
        count: usize,
        roots: impl IntoIterator<Item = usize>,
        successors: impl Fn(usize, &mut Vec<usize>),
    ) -> Self {
        let mut found = Self { of: vec![UNREACHED; count], groups: Vec::new(), has_cycle: false };
        let mut search = ComponentSearch {
            order: vec![UNREACHED; count],
            lowest: vec![UNREACHED; count],
            stack: Vec::new(),
            next: 0,
            successors,
        };
        for root in roots {
            if search.order[root] == UNREACHED {
                found.search_from(root, &mut search);
            }
        }
        found
    }

    fn search_from(&mut self, root: usize, search: &mut ComponentSearch<impl Fn(usize, &mut Vec<usize>)>) {
        let mut path = vec![search.enter(root)];
        while let Some(visit) = path.last_mut() {
            let state = visit.state;
            if let Some(successor) = visit.successors.pop() {
                self.has_cycle |= successor == state;
                if search.order[successor] == UNREACHED {
                    path.push(search.enter(successor));
                } else if self.of[successor] == UNREACHED {
                    search.lowest[state] = search.lowest[state].min(search.order[successor]);
                }
                continue;
            }
            path.pop();
            if let Some(parent) = path.last() {
                search.lowest[parent.state] = search.lowest[parent.state].min(search.lowest[state]);
            }
            if search.lowest[state] == search.order[state] {
                self.close_group(state, &mut search.stack);
            }
        }
    }

    fn close_group(&mut self, root: usize, stack: &mut Vec<usize>) {
        let mut members = Vec::new();
        while let Some(member) = stack.pop() {
            self.of[member] = self.groups.len();
            members.push(member);
            if member == root {
                break;
            }
        }
        self.has_cycle |= members.len() > 1;
        self.groups.push(members);
    }

    /// Every state that was reached.
    pub(super) fn reached(&self) -> impl Iterator<Item = usize> {
        self.groups.iter().flatten().copied()
    }

    /// Whether a state can reach itself.
    pub(super) fn has_cycle(&self) -> bool {
        self.has_cycle
    }
}
