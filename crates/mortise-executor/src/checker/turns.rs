//! Who is checked next: each session waits in a line of its own, and the lines take turns.

use std::collections::VecDeque;

/// Waiting jobs, by session. At the bound, the session with the longest line gives up its newest job.
#[derive(Debug)]
pub(super) struct Turns<J> {
    /// In the order of their turns; no line is empty.
    lines: VecDeque<SessionLine<J>>,
    limit: usize,
}

#[derive(Debug)]
struct SessionLine<J> {
    session: String,
    jobs: VecDeque<J>,
}

impl<J> Turns<J> {
    pub(super) fn new(limit: usize) -> Self {
        Self { lines: VecDeque::new(), limit }
    }

    pub(super) fn waiting(&self) -> usize {
        self.lines.iter().map(|line| line.jobs.len()).sum()
    }

    pub(super) fn jobs(&self) -> impl Iterator<Item = &J> {
        self.lines.iter().flat_map(|line| &line.jobs)
    }

    /// Adds a job at the end of its session's line; what it pushes out, which may be the job itself.
    pub(super) fn push(&mut self, session: &str, job: J) -> Option<J> {
        match self.lines.iter_mut().find(|line| line.session == session) {
            Some(line) => line.jobs.push_back(job),
            None => {
                self.lines.push_back(SessionLine { session: session.to_owned(), jobs: VecDeque::from([job]) })
            }
        }
        if self.waiting() <= self.limit {
            return None;
        }
        // Of equally long lines the last: the newest session is the one that finds no room.
        let longest = (0..self.lines.len()).max_by_key(|at| self.lines[*at].jobs.len())?;
        let given_up = self.lines[longest].jobs.pop_back();
        self.drop_empty();
        given_up
    }

    /// Takes the next job of the first session that may have one; then it is the turn of the others.
    pub(super) fn next(&mut self, mut may: impl FnMut(&str) -> bool) -> Option<(String, J)> {
        let at = (0..self.lines.len()).find(|at| may(&self.lines[*at].session))?;
        let mut line = self.lines.remove(at)?;
        let job = line.jobs.pop_front()?;
        let session = line.session.clone();
        if !line.jobs.is_empty() {
            self.lines.push_back(line);
        }
        Some((session, job))
    }

    /// Takes out all jobs of which this is true.
    pub(super) fn remove(&mut self, is_over: impl Fn(&J) -> bool) -> Vec<J> {
        let mut removed = Vec::new();
        for line in &mut self.lines {
            let (over, left) = std::mem::take(&mut line.jobs).into_iter().partition(&is_over);
            line.jobs = left;
            removed.extend::<VecDeque<J>>(over);
        }
        self.drop_empty();
        removed
    }

    fn drop_empty(&mut self) {
        self.lines.retain(|line| !line.jobs.is_empty());
    }
}

#[cfg(test)]
mod tests;
