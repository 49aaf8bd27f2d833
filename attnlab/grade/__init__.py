"""Grading apart from the learners: what runs on the trusted side, as extensions of nbgrader."""
