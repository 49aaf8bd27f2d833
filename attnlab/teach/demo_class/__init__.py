"""The class that `attnlab demo` grades: its learners, and what they wrote."""
