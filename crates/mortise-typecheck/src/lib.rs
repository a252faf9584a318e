//! Checks a Python program against the shapes of its tools before it runs.
