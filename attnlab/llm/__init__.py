"""A language model on the learner's own machine: `endpoint` asks one, `serving` starts one (`attnlab llm`).

Lessons import `endpoint`, so nothing here needs more than the standard library to be imported.
"""
