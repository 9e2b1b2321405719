"""The links in Markdown documents, and those that lead nowhere."""

import re
import urllib.parse

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *#*$", re.MULTILINE)
ANCHOR = re.compile(r'<a id="([^"]+)"></a>')


def slug(heading):
    """The anchor that a heading has, as GitHub makes it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def without_code(text):
    """Code is no text with links."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^    .*$", "", text, flags=re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "``", text)


def anchors_of(text):
    return {*map(slug, HEADING.findall(text)), *ANCHOR.findall(text)}


def links_of(document):
    return LINK.findall(without_code(document.read_text()))


def dead_links(document):
    for target in links_of(document):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = urllib.parse.unquote(target).partition("#")
        file = document.parent / path if path else document
        if not file.exists():
            yield target
        elif anchor and file.suffix == ".md" and anchor not in anchors_of(file.read_text()):
            yield target


def check(folder, documents):
    """The number of links, and a sentence for each dead one."""
    links, dead = 0, []
    for document in sorted(documents):
        links += len(links_of(document))
        dead += [f"{document.relative_to(folder)}: {target} leads nowhere" for target in dead_links(document)]
    return links, dead
