"""Turns the comments of the library's headers into docstrings: a C++ header of macros.

    docstrings.py OUTPUT HEADER...

A block of `///` lines belongs to what is declared below it; a trailing `// ...` to the field before it.
A member is called CLASS_member. What is declared twice keeps the first comment that it has.
"""

import re
import sys

# How Python calls things (see errors.cpp).
WORDS = {
    "Error(kUsage)": "ValueError",
    "Error(kData)": "ValueError",
    "Error(kIo)": "OSError",
    "Error(kCancelled)": "KeyboardInterrupt",
    "Throws": "Raises",
    "throws": "raises",
}
OPENING = re.compile(r"^(?:class|struct|enum class) (\w+)")


def name_of(declaration):
    """The name that a line declares, or None."""
    opening = OPENING.match(declaration.strip())
    if opening:
        return opening.group(1)
    text = re.sub(r"//.*|=.*|\{.*", "", declaration)
    if "(" in text:
        found = re.search(r"(\w+)\s*\($", text[: text.index("(") + 1])
    else:
        found = re.search(r"(\w+)\s*;?\s*$", text.strip())
    return found.group(1) if found else None


def read(path, docs):
    owner, block, field = None, [], None
    for line in open(path, encoding="utf-8"):
        text = line.strip()
        if text.startswith("///"):
            block.append(text[3:].strip())
            field = None
            continue
        if field and text.startswith("//"):  # a trailing comment that goes on
            docs[field] += " " + text[2:].strip()
            continue
        field = None
        if not text or text.startswith(("//", "template", "#")):
            continue
        indent = len(line) - len(line.lstrip())
        if indent > 2:
            block = []
            continue
        name = name_of(line)
        if indent == 0:
            owner = name if OPENING.match(text) and "{" in line else None
        if name:
            key = f"{owner}_{name}" if indent == 2 and owner else name
            if block:
                docs.setdefault(key, " ".join(block))
            elif indent == 2 and owner and "// " in line:
                field = key if key not in docs else None
                docs.setdefault(key, line.split("// ", 1)[1].strip())
        block = []


def main():
    docs = {}
    for path in sys.argv[2:]:
        read(path, docs)
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write("// Made by docstrings.py from the library's headers.\n#pragma once\n")
        for key, text in sorted(docs.items()):
            for word, other in WORDS.items():
                text = text.replace(word, other)
            text = (text[0].upper() + text[1:]).rstrip()
            if text[-1] not in ".:!?":
                text += "."
            text = text.replace("\\", "\\\\").replace('"', '\\"')
            out.write(f'#define FORESIGHT_DOC_{key} "{text}"\n')


if __name__ == "__main__":
    main()
