"""Draws the tables of a page in which the number of tiles grows: sweep.py PAGE.md PICTURE.svg. A table has a title and
numbers of tiles in its first line, and behind that a line of silicon's figures and one of ours. Both axes are
logarithmic."""
import html
import math
import pathlib
import sys

WIDTH, HEIGHT, EDGE, COLUMNS = 320, 190, 60, 2
ROOM = 22  # of a number on the axis
COLOURS = {"silicon": "#ff7f0e", "here": "#1f77b4"}


def tables_of(page):
    """The tables under the heading "Where it bends": title, numbers of tiles, and a list of figures for each name."""
    lines = page.partition("### Where it bends")[2].partition("\n##")[0].splitlines()
    tables = []
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|") or set(cells[0]) == {"-"}:
            continue
        if cells[0] in COLOURS:
            figures = [float(cell.replace(",", "")) if cell else None for cell in cells[1:]]
            tables[-1][2][cells[0]] = figures
        else:
            tables.append((cells[0], [int(cell) for cell in cells[1:]], {}))
    return tables


def ticks_of(low, high):
    """1, 2, 5, 10 and so on between two figures."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [step * 10**decade for decade in decades for step in (1, 2, 5) if low <= step * 10**decade <= high]


def panel_of(table, left, top):
    title, tiles, rows = table
    figures = [figure for row in rows.values() for figure in row if figure]
    low, high = min(figures) / 1.4, max(figures) * 1.4

    def across(count):
        return left + WIDTH * math.log(count / tiles[0]) / math.log(tiles[-1] / tiles[0])

    def up(figure):
        return top + HEIGHT * (1 - math.log(figure / low) / math.log(high / low))

    out = [f'<rect x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999"/>',
           f'<text x="{left}" y="{top - 8}" font-weight="bold">{html.escape(title)}</text>']
    for count, following in zip(tiles, tiles[1:] + [None]):
        if following is None or across(following) - across(count) > ROOM:
            out.append(f'<text x="{across(count):.0f}" y="{top + HEIGHT + 15}" text-anchor="middle">{count}</text>')
    for tick in ticks_of(low, high):
        out += [f'<path d="M{left} {up(tick):.1f}h{WIDTH}" stroke="#eee"/>',
                f'<text x="{left - 5}" y="{up(tick) + 4:.1f}" text-anchor="end">{tick:,.0f}</text>']
    for name, row in rows.items():
        points = [(across(count), up(figure)) for count, figure in zip(tiles, row) if figure]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        out.append(f'<path d="M{path}" fill="none" stroke="{COLOURS[name]}"/>')
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{COLOURS[name]}"/>' for x, y in points]
    return out


def picture_of(tables):
    width = COLUMNS * (WIDTH + 2 * EDGE)
    height = -(-len(tables) // COLUMNS) * (HEIGHT + EDGE) + EDGE
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
           'font-size="11">', f'<rect width="{width}" height="{height}" fill="white"/>']
    for i, (name, colour) in enumerate(COLOURS.items()):
        x = EDGE + 90 * i
        out += [f'<circle cx="{x + 4}" cy="14" r="4" fill="{colour}"/>', f'<text x="{x + 12}" y="18">{name}</text>']
    for i, table in enumerate(tables):
        left = EDGE + i % COLUMNS * (WIDTH + 2 * EDGE)
        out += panel_of(table, left, EDGE + i // COLUMNS * (HEIGHT + EDGE))
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    tables = tables_of(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    pathlib.Path(sys.argv[2]).write_text(picture_of(tables), encoding="utf-8")


if __name__ == "__main__":
    main()
