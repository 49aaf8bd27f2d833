"""attnlab: the checks, pictures and commands of a course on the attention mechanism.

`attnlab.learn` is what a lesson's notebook imports; `attnlab.teach` is what an instructor runs.
"""

__version__ = "0.1.0"
