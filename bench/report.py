#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns results.json into a table (results.md) and a plot (results.svg).

  report.py DIR                    writes both beside DIR/results.json
  report.py --document DOCS DIR    puts them into DOCS/performance.md and DOCS/performance.svg"""

import argparse
import json
import sys
from pathlib import Path
from xml.sax.saxutils import escape

BEGIN = "<!-- results: written by bench/run.sh --document -->"
END = "<!-- end of results -->"

LONG_MS = 1000  # compiles over this are held to a percentage, shorter ones to milliseconds


class Figure:
    """One number with the limit that we want it to keep."""

    def __init__(self, part, label, value, limit, form, note=""):
        self.part = part
        self.label = label
        self.value = value
        self.limit = limit
        self.form = form
        self.note = note

    def text(self, value):
        return self.form.format(value).replace("-0.0 ", "0.0 ")


def cpu(measured):
    return measured["cpu_ms"]["median"]


def wall(measured):
    return measured["wall_ms"]["median"]


# ---- Headline figures --------------------------------------------------------------------


def figures_a(part):
    results = part["results"]
    yield Figure("a", f"direct hit / cp of {part['bytes'] / 1000:.0f} KB", cpu(results["direct hit"]) / cpu(results["cp"]),
                 1.0, "{:.2f} ×", f"{part['library']}")  # fmt: skip


def figures_b(part):
    for name, results in part.items():
        hit = cpu(results["pipeline hit"])
        yield Figure("b", "pipeline hit / start, build, stop", hit / cpu(results["start, build, leave"]), 1.3, "{:.2f} ×", name)
        yield Figure("b", "pipeline hit / start, stop", hit / cpu(results["start and leave"]), None, "{:.2f} ×", name)


def extra_ms(result):
    """The median of what a miss took more than the uncached run beside it."""
    return result["miss"]["more_cpu_ms"]["median"]


def extra_percent(result):
    return 100 * extra_ms(result) / cpu(result["uncached"])


def figures_c(part):
    long = [r for r in part if cpu(r["uncached"]) > LONG_MS]
    short = [r for r in part if cpu(r["uncached"]) <= LONG_MS]
    for title, results, extra, limit, form in (
        ("over 1 s", long, extra_percent, 2.0, "{:.1f} %"),
        ("up to 1 s", short, extra_ms, 15.0, "{:.1f} ms"),
    ):
        if results:
            worst = max(results, key=extra)
            middle = sorted(results, key=extra)[len(results) // 2]
            yield Figure("c", f"miss, extra, compiles {title}, worst", extra(worst), limit, form, worst["name"])
            yield Figure("c", f"miss, extra, compiles {title}, median", extra(middle), limit, form, f"of {len(results)}")


def figures_d(part):
    steps, builds = part["steps"], part["builds"]
    yield Figure("d", "warm / uncached, generator steps", 100 * cpu(steps["warm"]) / cpu(steps["uncached"]), 0.3, "{:.2f} %",
                 f"{part['commands']} commands")  # fmt: skip
    yield Figure("d", "cold / uncached, generator steps", cpu(steps["cold"]) / cpu(steps["uncached"]), 1.0, "{:.2f} ×")
    yield Figure("d", "runtimes compiled / different ones", part["compiled_runtimes"] / part["distinct_runtimes"], 1.0,
                 "{:.2f} ×", f"{part['runtime_commands']} commands, 4 cold builds at once")  # fmt: skip
    for name in ("cold", "warm"):
        yield Figure("d", f"{name} / uncached, whole build", cpu(builds[name]) / cpu(builds["uncached"]), None, "{:.2f} ×",
                     "with CMake and the C++ compiler")  # fmt: skip


def figures_e(part):
    yield Figure("e", "steps after a comment edit, cached", part["cached"], None, "{:.0f}", f"{part['uncached']} uncached")


def figures_f(part):
    small, large = part["sizes"][0], part["sizes"][-1]
    note = f"{large['entries']:,} / {small['entries']:,} entries"
    for what in ("hit", "store"):
        ratio = large[what]["cpu_us"]["median"] / small[what]["cpu_us"]["median"]
        yield Figure("f", f"{what} in a large / small store", ratio, 1.3, "{:.2f} ×", note)
    prune = part["prune"]
    yield Figure("f", "prune of 1 %", prune["time"]["wall_us"]["median"] / 1e6, 1.0, "{:.2f} s",
                 f"{prune['removed']:,} of {prune['entries']:,} entries, wall")  # fmt: skip


def figures_g(part):
    counts = sorted({int(name.split()[0]) for name in part})
    for kind in ("cold", "warm"):
        many = counts[-1]
        ratio = cpu(part[f"{many} {kind}"]) / cpu(part[f"1 {kind}"])
        yield Figure("g", f"{many} {kind} builds at once / 1", ratio, None, "{:.2f} ×", "CPU of all of them")


def headline(results):
    for part, figures in sorted(globals().items()):
        if part.startswith("figures_") and part[-1] in results:
            yield from figures(results[part[-1]])


# ---- Markdown ----------------------------------------------------------------------------


def table(columns, rows):
    yield "| " + " | ".join(columns) + " |"
    yield "| --- |" + " ---: |" * (len(columns) - 1)
    for row in rows:
        yield "| " + " | ".join(str(cell) for cell in row) + " |"
    yield ""


def measured_rows(results):
    for name, m in results.items():
        quartiles = f"{m['cpu_ms']['q1']:.2f} to {m['cpu_ms']['q3']:.2f}"
        yield name, f"{cpu(m):.2f}", quartiles, f"{wall(m):.2f}", m["runs"]


MEASURED = ("", "CPU ms", "quartiles", "wall ms", "runs")


def tables_a(part):
    yield from table(MEASURED, measured_rows(part["results"]))


def tables_b(part):
    for name, results in part.items():
        yield f"`{name}`:"
        yield ""
        yield from table(MEASURED, measured_rows(results))


def tables_c(part):
    yield from table(
        ("command", "uncached CPU ms", "miss CPU ms", "extra ms", "quartiles", "of the least", "extra %", "wall ms",
         "miss wall ms", "runs"),
        (
            (f"`{r['name']}`", f"{cpu(r['uncached']):.0f}", f"{cpu(r['miss']):.0f}", f"{extra_ms(r):.1f}",
             "{q1:.1f} to {q3:.1f}".format(**r["miss"]["more_cpu_ms"]),
             f"{r['miss']['cpu_ms']['min'] - r['uncached']['cpu_ms']['min']:.1f}", f"{extra_percent(r):.1f}",
             f"{wall(r['uncached']):.0f}", f"{wall(r['miss']):.0f}", r["miss"]["runs"])
            for r in sorted(part, key=lambda r: cpu(r["uncached"]))
        ),
    )  # fmt: skip


def tables_d(part):
    yield "The generator steps, one after the other:"
    yield ""
    yield from table(MEASURED, measured_rows(part["steps"]))
    yield "Configure and build from an empty folder, the C++ compiler included:"
    yield ""
    yield from table(MEASURED, measured_rows(part["builds"]))
    yield (f"Four cold builds at once, {part['runtime_commands']} runtime commands in each: "
           f"{part['compiled_runtimes']} compiled, of {part['distinct_runtimes']} different.")  # fmt: skip
    yield ""


def tables_e(part):
    yield from table(
        ("", "steps run", "and in the next build"),
        ((name, part[name], part[name + " again"]) for name in ("uncached", "cached")),
    )


def tables_f(part):
    yield from table(
        ("entries", "hit CPU µs", "hit wall µs", "store CPU µs", "store wall µs", "runs"),
        (
            (f"{s['entries']:,}", *(f"{s[w][c]['median']:.1f}" for w in ("hit", "store") for c in ("cpu_us", "wall_us")),
             s["hit"]["runs"])
            for s in part["sizes"]
        ),
    )  # fmt: skip
    time = part["prune"]["time"]
    yield (f"A prune of {part['prune']['removed']:,} of {part['prune']['entries']:,} entries: "
           f"{time['cpu_us']['median'] / 1000:.0f} ms CPU, {time['wall_us']['median'] / 1000:.0f} ms wall, "
           f"{time['runs']} runs.")  # fmt: skip
    yield ""


def tables_g(part):
    yield from table(MEASURED, measured_rows(part))


TITLES = {
    "a": "a: a direct hit against `cp`",
    "b": "b: a pipeline hit against a generator that is started and stopped",
    "c": "c: a miss against no cache",
    "d": "d: the examples as a whole",
    "e": "e: early cutoff",
    "f": "f: the store as it grows",
    "g": "g: builds at once on one cache",
}


def markdown(results, plot):
    yield from table(("machine", ""), results["machine"].items())
    if results["quick"]:
        yield "**A quick run: it shows that everything works; the figures mean little.**"
        yield ""
    yield f"![each figure as a share of its limit]({plot})"
    yield ""
    rows = []
    for f in headline(results):
        limit = "" if f.limit is None else f.text(f.limit)
        reached = "" if f.limit is None else "yes" if f.value <= f.limit else "**no**"
        rows.append((f"{f.part}: {f.label}", f.text(f.value), limit, reached, f.note))
    yield from table(("CPU time unless it says wall", "measured", "at most", "reached", ""), rows)
    for part, title in TITLES.items():
        if part in results:
            yield f"### {title}"
            yield ""
            yield from globals()[f"tables_{part}"](results[part])


# ---- The plot ----------------------------------------------------------------------------

LABELS, BARS, VALUES, ROW, TOP, SHOWN = 430, 360, 190, 26, 64, 1.6


def svg(results):
    figures = [f for f in headline(results) if f.limit is not None]
    width, height = LABELS + BARS + VALUES, TOP + ROW * len(figures) + 24
    limit_x = LABELS + BARS / SHOWN
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           'font-family="system-ui, sans-serif" font-size="13">')  # fmt: skip
    yield f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    yield '<text x="16" y="26" font-size="16" font-weight="600" fill="#1f2328">HalideCache: each figure as a share of its limit</text>'
    yield f'<text x="{limit_x}" y="{TOP - 10}" text-anchor="middle" fill="#57606a">limit</text>'
    for row, f in enumerate(figures):
        y = TOP + row * ROW
        share = f.value / f.limit
        length = max(1.0, min(share, SHOWN) * BARS / SHOWN)
        color = "#2f81b7" if share <= 1 else "#d1622b"
        note = f' <tspan fill="#6e7781">({escape(f.note)})</tspan>' if f.note and f.part in "bc" else ""
        yield (f'<text x="{LABELS - 10}" y="{y + 17}" text-anchor="end" fill="#1f2328">{f.part}: {escape(f.label)}{note}</text>')
        yield f'<rect x="{LABELS}" y="{y + 4}" width="{length:.1f}" height="{ROW - 8}" rx="2" fill="{color}"/>'
        yield (f'<text x="{LABELS + BARS + 10}" y="{y + 17}" fill="#1f2328">{f.text(f.value)} '
               f'<tspan fill="#6e7781">of {f.text(f.limit)}</tspan></text>')  # fmt: skip
        if share > SHOWN:
            # The bar is longer than there is room.
            x = LABELS + BARS - 12
            yield f'<path d="M{x} {y + 2} l6 {ROW - 4} h4 l-6 -{ROW - 4} z" fill="#ffffff"/>'
    yield (f'<line x1="{limit_x}" y1="{TOP - 4}" x2="{limit_x}" y2="{TOP + ROW * len(figures) + 4}" '
           'stroke="#1f2328" stroke-width="1.5" stroke-dasharray="4 3"/>')  # fmt: skip
    yield "</svg>"


def write(path, lines):
    path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def document(docs, results):
    page = docs / "performance.md"
    text = page.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        sys.exit(f"{page.name} must have the lines '{BEGIN}' and, later, '{END}', each once")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    middle = "\n".join(markdown(results, "performance.svg"))
    page.write_text(f"{before}{BEGIN}\n\n{middle}\n{END}{after}", encoding="utf-8")
    write(docs / "performance.svg", svg(results))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--document", metavar="DOCS", type=Path)
    parser.add_argument("folder", metavar="DIR", type=Path)
    options = parser.parse_args()
    file = options.folder / "results.json"
    if not file.is_file():
        sys.exit(f"there is no {file}: run bench/run.sh first")
    results = json.loads(file.read_text(encoding="utf-8"))
    if options.document:
        document(options.document, results)
    else:
        write(options.folder / "results.md", markdown(results, "results.svg"))
        write(options.folder / "results.svg", svg(results))


if __name__ == "__main__":
    main()
