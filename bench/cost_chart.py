"""Cost against size on logarithmic scales, as an SVG for light and dark pages, from the JSON lines of bench/scale."""
import html
import math
import statistics

from measured import in_words

# The colours and sizes of tools/report/svg.c, so that charts look alike.
STYLE = """:root{--ink:#1c2128;--soft:#57606a;--paper:#fff;--line:#d5dae0;--c0:#1f6feb;--c1:#d4761c;--c2:#2b9348;color-scheme:light dark}
@media screen and (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa5b1;--paper:#0d1117;--line:#30363d;\
--c0:#58a6ff;--c1:#f0a04b;--c2:#56d364}}
svg{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}
svg text{font-size:11px;fill:var(--soft)}svg .head{font-size:12px;font-weight:600;fill:var(--ink)}svg .key{fill:var(--ink)}
.end{text-anchor:end}.middle{text-anchor:middle}.paper{fill:var(--paper)}.grid{stroke:var(--line);stroke-width:.7}
.axis{stroke:var(--soft);stroke-width:1;fill:none}.rule{stroke:var(--soft);stroke-dasharray:4 3;fill:none}
.c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}
.line{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}.fit{fill:none;stroke:var(--c);stroke-width:1;stroke-dasharray:2 3}
.dot{fill:var(--c)}"""
STAGES = ("import", "train", "evaluate")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 430, 70, 620, 92, 380


def fit(points):
    """Slope, where it starts, and the standard error of the slope, by least squares on logarithms; None with one size."""
    x, y = ([math.log10(point[i]) for point in points] for i in range(2))
    mean_x, mean_y = statistics.fmean(x), statistics.fmean(y)
    square = sum((a - mean_x) ** 2 for a in x)
    if square < 1e-12:
        return None
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / square
    start = mean_y - slope * mean_x
    rest = sum((b - start - slope * a) ** 2 for a, b in zip(x, y))
    return slope, start, math.sqrt(rest / (len(x) - 2) / square) if len(x) > 2 else None


def slope_words(points):
    found = fit(points)
    if not found:
        return "one size, no slope"
    slope, _, error = found
    return f"slope {slope:.2f}" + (f" ± {error:.2f}" if error is not None else "")


def series_of(results, stages=STAGES):
    """The points (events, seconds) of each stage, by size; what failed counts with what it had until then."""
    return {stage: sorted((result["events"], result[stage]["seconds"]) for result in results
                          if "events" in result and result.get(stage, {}).get("seconds", 0) > 0) for stage in stages}


def decades(values):
    """The powers of ten around them, one at least apart."""
    low, high = math.floor(math.log10(min(values)) + 1e-9), math.ceil(math.log10(max(values)) - 1e-9)
    return low, max(high, low + 1)


def seconds_words(power):
    return f"{10 ** power:,} s" if power >= 0 else f"{10 ** power:.{-power}f} s"


class Plane:
    """Where a point lies."""

    def __init__(self, points):
        self.x, self.y = (decades([point[i] for point in points]) for i in range(2))

    def at_x(self, events):
        return LEFT + (math.log10(events) - self.x[0]) / (self.x[1] - self.x[0]) * (RIGHT - LEFT)

    def at_y(self, seconds):
        return BOTTOM - (math.log10(seconds) - self.y[0]) / (self.y[1] - self.y[0]) * (BOTTOM - TOP)

    def path(self, points):
        return "M" + "L".join(f"{self.at_x(x):.1f} {self.at_y(y):.1f}" for x, y in points)


def draw_axes(plane):
    for power in range(plane.x[0], plane.x[1] + 1):
        x = plane.at_x(10 ** power)
        yield f'<path class="grid" d="M{x:.1f} {TOP}V{BOTTOM}"/>'
        yield f'<text class="middle" x="{x:.1f}" y="{BOTTOM + 16}">{in_words(10 ** power)}</text>'
    for power in range(plane.y[0], plane.y[1] + 1):
        y = plane.at_y(10.0 ** power)
        yield f'<path class="grid" d="M{LEFT} {y:.1f}H{RIGHT}"/>'
        yield f'<text class="end" x="{LEFT - 6}" y="{y + 4:.1f}">{seconds_words(power)}</text>'
    yield f'<path class="axis" d="M{LEFT} {TOP}V{BOTTOM}H{RIGHT}"/>'
    yield f'<text class="middle" x="{(LEFT + RIGHT) / 2}" y="{BOTTOM + 36}">events, logarithmic</text>'
    yield f'<text class="middle" transform="translate(14 {(TOP + BOTTOM) / 2}) rotate(-90)">seconds by the clock, logarithmic</text>'


def draw_proportional(plane):
    """The line of slope 1 from the lower left corner, to compare with."""
    length = min(plane.x[1] - plane.x[0], plane.y[1] - plane.y[0])
    ends = [(10.0 ** (plane.x[0] + d), 10.0 ** (plane.y[0] + d)) for d in (0, length)]
    yield f'<path class="rule" d="{plane.path(ends)}"/>'


def draw_series(plane, look, name, points):
    medians = [(size, statistics.median(y for x, y in points if x == size)) for size in sorted({x for x, _ in points})]
    found = fit(points)
    if found:
        slope, start, _ = found
        ends = [(size, 10 ** (start + slope * math.log10(size))) for size in (points[0][0], points[-1][0])]
        ends = [(x, min(max(y, 10.0 ** plane.y[0]), 10.0 ** plane.y[1])) for x, y in ends]
        yield f'<path class="fit c{look}" d="{plane.path(ends)}"/>'
    yield f'<path class="line c{look}" d="{plane.path(medians)}"/>'
    for x, y in points:
        yield (f'<circle class="dot c{look}" cx="{plane.at_x(x):.1f}" cy="{plane.at_y(y):.1f}" r="3.5">'
               f'<title>{name}, {x:,} events: {y:.3g} s</title></circle>')


def draw_keys(series):
    for look, (name, points) in enumerate(series.items()):
        y = 38 + 15 * look
        yield f'<path class="line c{look}" d="M{LEFT} {y - 4}h16"/>'
        yield f'<text class="key" x="{LEFT + 22}" y="{y}">{name}: {slope_words(points)}</text>'
    yield f'<path class="rule" d="M{LEFT + 250} 34h16"/><text x="{LEFT + 272}" y="38">proportional, slope 1</text>'
    yield f'<path class="axis" stroke-dasharray="2 3" d="M{LEFT + 250} 49h16"/><text x="{LEFT + 272}" y="53">least squares on logarithms</text>'


def draw(results, title):
    """The chart as text, and a line for a person about each stage."""
    series = {name: points for name, points in series_of(results).items() if points}
    every = [point for points in series.values() for point in points]
    plane = Plane(every)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
             f"<title>{html.escape(title)}</title>", f"<style>\n{STYLE}\n</style>",
             '<rect class="paper" width="100%" height="100%"/>', f'<text class="head" x="{LEFT}" y="18">{html.escape(title)}</text>',
             *draw_axes(plane), *draw_proportional(plane)]
    for look, (name, points) in enumerate(series.items()):
        parts += draw_series(plane, look, name, points)
    parts += [*draw_keys(series), "</svg>", ""]
    return "\n".join(parts), [sentence(name, points) for name, points in series.items()]


def sentence(name, points):
    sizes = sorted({x for x, _ in points})
    words = f"{name:10s}{len(points):3d} logs, {in_words(sizes[0])} to {in_words(sizes[-1])} events: {slope_words(points)}"
    upper = [point for point in points if point[0] >= sizes[len(sizes) // 2 - 1]] if len(sizes) > 3 else []
    return words + (f"; from {in_words(upper[0][0])} on {slope_words(upper)}" if upper else "")
