"""From what a learner's notebook holds to HTML that does nothing: no script, no request, no disguise of the page."""

import base64
import binascii
import html
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import bleach
from bleach.css_sanitizer import CSSSanitizer
from markupsafe import Markup
from nbconvert.filters import ansi2html, strip_ansi
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

LONGEST_TEXT = 20_000
"""Characters shown of one text; what a person reads at most."""
LONGEST_MARKUP = 100_000
"""Characters of Markdown up to which it is rendered; beyond, it is shown as text."""
MOST_TAGS = 4_000
"""Of one piece of HTML that is rendered; and so deep one in the other:"""
DEEPEST = 60
LARGEST_PICTURE = 4_000_000
"""Characters of base64."""
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")

MOST_FORMULAS = 200
"""Of one cell."""

_TAGS = {
    *("a", "abbr", "b", "blockquote", "br", "caption", "code", "col", "colgroup", "dd", "del", "details", "div", "dl"),
    *("dt", "em", "figcaption", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "ins", "kbd", "li"),
    *("mark", "ol", "p", "pre", "q", "s", "samp", "small", "span", "strong", "sub", "summary", "sup", "table", "tbody"),
    *("td", "tfoot", "th", "thead", "tr", "u", "ul", "var"),
}
_ATTRIBUTES = {
    "td": ("colspan", "rowspan", "align"),
    "th": ("colspan", "rowspan", "align", "scope"),
    "col": ("span",),
    "ol": ("start",),
    "img": ("alt", "title", "width", "height"),
    "a": ("title",),
    "abbr": ("title",),
}
_STYLES = ("color", "background-color", "font-style", "font-weight", "text-align", "text-decoration", "white-space")
# The short class names of highlighted code and terminal colours; the page's own begin with "fb-".
_CLASSES = re.compile(
    r"(highlight|[a-z][a-z0-9]{0,2}|ansi-[a-z0-9-]+)( (highlight|[a-z][a-z0-9]{0,2}|ansi-[a-z0-9-]+))*"
)
_PICTURE = re.compile(r"data:image/(png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/=\s]+")
# Their text would be left standing as text.
_SILENT = re.compile(r"<(script|style|template|title)\b.*?(</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)


def _allowed(tag: str, name: str, value: str) -> bool:
    if name == "class":
        return bool(_CLASSES.fullmatch(value))
    if name == "style":
        # What is left of these would ask for something from elsewhere.
        return not re.search(r"url|image|expression|[\\@]", value, re.IGNORECASE)
    if tag == "a" and name == "href":
        return _harmless(value)
    if tag == "img" and name == "src":
        return len(value) <= LARGEST_PICTURE and bool(_PICTURE.fullmatch(value))
    return name in _ATTRIBUTES.get(tag, ())


def _harmless(address: str) -> bool:
    try:
        return urlsplit(address.strip()).scheme in ("http", "https", "mailto")
    except ValueError:
        return False


_CLEANER = bleach.Cleaner(
    tags=_TAGS,
    attributes=_allowed,
    protocols={"http", "https", "mailto", "data"},
    strip=True,
    strip_comments=True,
    css_sanitizer=CSSSanitizer(allowed_css_properties=_STYLES),
)


_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)")
# Closed by what follows them.
_SHALLOW = {
    *("br", "hr", "img", "input", "col", "p", "li", "dd", "dt", "tr", "td", "th", "thead", "tbody", "tfoot"),
    *("path", "meta", "link", "use"),
}


def _reasonable(source: str) -> bool:
    """Tell whether HTML is such as people write: the time to parse it grows with the square of its depth."""
    if len(source) > LARGEST_PICTURE or source.count("<") > MOST_TAGS:
        return False
    opened: dict[str, int] = {}
    depth = 0
    for closing, tag in _TAG.findall(source):
        name = tag.lower()
        if name in _SHALLOW:
            continue
        if not closing:
            opened[name] = opened.get(name, 0) + 1
            depth += 1
        elif opened.get(name):
            opened[name] -= 1
            depth -= 1
        if depth > DEEPEST:
            return False
    return True


def from_html(source: str) -> Markup:
    """Return HTML with what does nothing alone; where that cannot be made of it, its text."""
    if not _reasonable(source):
        return from_text(source)
    try:
        return Markup(_CLEANER.clean(_SILENT.sub("", source)))
    except Exception:  # whatever a parser makes of what was written to break it
        return from_text(source)


def from_markdown(source: str, attachments: Mapping[str, Mapping[str, str]] | None = None) -> Markup:
    """Return Markdown as HTML that does nothing; formulas stay as they are, between dollar signs."""
    # Every formula that is opened is looked for to its end.
    opened = sum(map(source.count, ("\\begin", "\\\\[", "\\\\(", "$$")))
    if len(source) > LONGEST_MARKUP or opened > MOST_FORMULAS:
        return from_text(source)
    try:
        renderer = IPythonRenderer(
            escape=False,
            allow_harmful_protocols=False,
            embed_images=False,  # no file is read for it
            exclude_anchor_links=True,
            attachments={name: dict(bundle) for name, bundle in (attachments or {}).items()},
        )
        rendered = MarkdownWithMath(renderer=renderer).render(source)
    except Exception:  # as above
        return from_text(source)
    return from_html(rendered) if _reasonable(rendered) else from_text(source)


def from_text(source: str, ending: str = "…") -> Markup:
    """Return plain text as it stands, its terminal colours kept, cut where nobody reads on."""
    shown = source if len(source) <= LONGEST_TEXT else f"{source[:LONGEST_TEXT]}\n{ending}"
    try:
        return Markup(f'<pre class="fb-text">{ansi2html(shown)}</pre>')
    except Exception:  # as above
        return Markup(f'<pre class="fb-text">{html.escape(strip_ansi(shown))}</pre>')


def from_code(source: str) -> Markup:
    """Return Python code, highlighted."""
    if len(source) > LONGEST_TEXT:
        return from_text(source)
    return Markup(highlight(source, PythonLexer(stripnl=False), HtmlFormatter(cssclass="highlight fb-code")))


def from_picture(mime: str, data: str, alt: str) -> Markup | None:
    """Return a picture as an image element, or None where it is none; an SVG in an image runs no script."""
    if mime == "image/svg+xml":
        data = base64.b64encode(data.encode()).decode()
    elif mime not in PICTURES:
        return None
    if len(data) > LARGEST_PICTURE:
        return None
    try:
        base64.b64decode("".join(data.split()), validate=True)
    except (binascii.Error, ValueError):
        return None
    source = f"data:{mime};base64,{''.join(data.split())}"
    return Markup('<img class="fb-picture" src="{}" alt="{}">').format(source, alt)


def as_text(value: Any) -> str:
    """Return what an output holds as text; nbformat allows a list of lines."""
    if isinstance(value, list):
        return "".join(one for one in value if isinstance(one, str))
    return value if isinstance(value, str) else ""
