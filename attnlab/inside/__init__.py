"""What runs behind the walls of the isolated grading, beside the learner's code; nothing here knows an answer."""
