//! A checker's process for tests: what `mortise checker` does in the binary.

fn main() -> std::io::Result<()> {
    mortise_executor::checker::serve(std::io::stdin().lock(), std::io::stdout())
}
