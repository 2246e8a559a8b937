#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the chart and the table of docs/performance.md from the output of `./x bench --jobs --json FILE`.

usage: bench_chart.py FILE [DOCS]     writes DOCS/performance.svg, and the table of DOCS/performance.md
"""

import json
import math
import re
import sys
from pathlib import Path
from xml.sax.saxutils import escape

BEGIN, END = "<!-- begin: scripts/bench_chart.py -->", "<!-- end -->"
NAMES = {"native": "native C++", "jit": "JIT", "interp": "interpreter", "pocl": "pocl"}
COLOURS = {"jit": "#2f6fd0", "interp": "#d08a2f", "pocl": "#8a8f98"}

BAR, GAP, LEFT, RIGHT, TOP = 11, 10, 150, 70, 64  # pixels
DECADE = 190


def duration(seconds):
    for unit, scale in (("us", 1e6), ("ms", 1e3)):
        if seconds * scale < 1000:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds:.3g} s"


def times(ratio):
    return f"{ratio:.0f}" if ratio >= 20 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def conditions(data):
    return (f"{data['cpu']}, {data['threads']} threads, {data['date']}, {data['compiler']}, "
            f"medians of {data['rounds']} rounds; load of the machine before: {data['load']:.1f}")


def engines_of(data):
    return [name for name in NAMES if any(name in job["engines"] for job in data["jobs"])]


def ratio(job, engine):
    return job["engines"].get(engine, {}).get("ratio", 0)


def table(data):
    """One row per job: time of native code, the others' times in multiples of it, speed-up of the threads."""
    engines = engines_of(data)
    others = [e for e in engines if e != "native"]
    sped = [e for e in engines if any("speedup" in job["engines"].get(e, {}) for job in data["jobs"])]
    head = (["job", "", NAMES["native"]] + [f"{NAMES[e]}, x" for e in others]
            + [f"{NAMES[e]}: {data['threads']} threads over 1" for e in sped])
    rows = [head, ["---", "---"] + ["---:"] * (len(head) - 2)]
    for job in data["jobs"]:
        found = job["engines"]
        native = found["native"]
        row = [f"`{job['name']}`", job["work"], duration(native["seconds"]) if "seconds" in native else "-"]
        row += [times(ratio(job, e)) if ratio(job, e) else found.get(e, {}).get("instead", "-")
                for e in others]
        row += [f"{found[e]['speedup']:.2f}" if "speedup" in found.get(e, {}) else "-" for e in sped]
        rows.append(row)
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def chart(data):
    """Bars on a logarithmic axis; native code is the line at 1."""
    others = [e for e in engines_of(data) if e != "native"]
    ratios = [ratio(job, e) for job in data["jobs"] for e in others if ratio(job, e)]
    low = math.floor(min([math.log10(r) for r in ratios] + [0]) * 2) / 2
    high = max(1, math.ceil(max([math.log10(r) for r in ratios] + [0])))
    height = len(others) * BAR + GAP
    width = LEFT + (high - low) * DECADE + RIGHT
    bottom = TOP + len(data["jobs"]) * height

    def x(value):
        return LEFT + (math.log10(value) - low) * DECADE

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {bottom + 34}" '
           'font-family="sans-serif" font-size="11">',
           "<style>text{fill:#222}.grid{stroke:#ccc}.one{stroke:#222}"
           "@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}.one{stroke:#ddd}}</style>",
           f'<text x="{LEFT}" y="16" font-size="13">Time of a run, native C++ = 1 (less is better)</text>']
    at = LEFT
    for engine in others:
        out.append(f'<rect x="{at}" y="26" width="11" height="11" fill="{COLOURS[engine]}"/>'
                   f'<text x="{at + 16}" y="36">{NAMES[engine]}</text>')
        at += 90
    for power in range(math.ceil(low), high + 1):
        kind = "grid" if power else "one"
        out.append(f'<line class="{kind}" x1="{x(10 ** power):.1f}" x2="{x(10 ** power):.1f}" y1="{TOP - 6}" '
                   f'y2="{bottom}"/><text x="{x(10 ** power):.1f}" y="{TOP - 10}" text-anchor="middle">'
                   f'{10 ** power:g}</text>')
    for row, job in enumerate(data["jobs"]):
        y = TOP + row * height
        out.append(f'<text x="{LEFT - 8}" y="{y + len(others) * BAR / 2 + 4:.1f}" text-anchor="end">'
                   f'{escape(job["name"])}</text>')
        for i, engine in enumerate(others):
            bar, text = y + i * BAR, job["engines"].get(engine, {}).get("instead", "")
            value = ratio(job, engine)
            if value:
                begin, end = sorted((x(1), x(value)))
                text = times(value)
                out.append(f'<rect x="{begin:.1f}" y="{bar}" width="{max(end - begin, 1):.1f}" '
                           f'height="{BAR - 1}" fill="{COLOURS[engine]}"/>')
            out.append(f'<text x="{max(x(value), x(1)) + 4 if value else x(1) + 4:.1f}" y="{bar + 9}" '
                       f'font-size="9">{escape(text)}</text>')
    out.append(f'<text x="{LEFT}" y="{bottom + 22}" font-size="9">{escape(conditions(data))}</text></svg>')
    return "\n".join(out) + "\n"


def page(text, data):
    """The page with chart and table between its marks."""
    made = (f"{BEGIN}\n![Time of a run in multiples of native C++](performance.svg)\n\n"
            f"{conditions(data)}:\n\n{table(data)}\n{END}")
    new, count = re.subn(re.escape(BEGIN) + ".*?" + re.escape(END), lambda _: made, text, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"there is not one place between {BEGIN} and {END}")
    return new


def main(arguments):
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    docs = Path(arguments[1] if len(arguments) == 2 else Path(__file__).parent.parent / "docs")
    data = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    (docs / "performance.svg").write_text(chart(data), encoding="utf-8")
    markdown = docs / "performance.md"
    markdown.write_text(page(markdown.read_text(encoding="utf-8"), data), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
