"""Grade cells, run in a process that no learner's code has ever been in."""
