"""Feedback pages: what a learner earned and why, in the learner's language, with nothing alive in them."""
