"""What benches that compare with silicon print and draw. As a program: scatter.py ROWS.csv PICTURE.svg draws what
bench/silicon --csv has written."""
import csv
import html
import math
import pathlib
import statistics
import sys


def line_of(title, errors):
    errors = sorted(abs(error) for error in errors)
    return (f"{title:36} {len(errors):4} rows: median {100 * statistics.median(errors):5.1f} %, 90 % within "
            f"{100 * errors[(len(errors) * 9 - 1) // 10]:5.1f} %, worst {100 * errors[-1]:6.1f} %")


def picture(points, file, decades, unit):
    """A scatter on log axes, from a power of ten to another one: silicon to the right, ours upwards. A point is
    (family, title, silicon, ours)."""
    size, edge = 480, 50
    colours = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f",
               "#bcbd22", "#17becf")
    families = sorted({family for family, _, _, _ in points})

    def place(cycles):
        share = (math.log10(cycles) - decades[0]) / (decades[1] - decades[0])
        return edge + min(max(share, 0), 1) * size

    whole = size + 2 * edge
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole + 140}" height="{whole}" '
           'font-family="sans-serif" font-size="11">',
           f'<rect width="{whole + 140}" height="{whole}" fill="white"/>',
           f'<path d="M{edge} {whole - edge}L{whole - edge} {edge}" stroke="#bbb"/>']
    for decade in range(decades[0], decades[1] + 1):
        at = place(10**decade)
        out += [f'<path d="M{at} {edge}V{whole - edge}M{edge} {whole - at}H{whole - edge}" stroke="#eee"/>',
                f'<text x="{at}" y="{whole - edge + 16}" text-anchor="middle">{10**decade}</text>',
                f'<text x="{edge - 6}" y="{whole - at + 4}" text-anchor="end">{10**decade}</text>']
    out += [f'<text x="{whole / 2}" y="{whole - 12}" text-anchor="middle">{unit} on silicon</text>',
            f'<text x="14" y="{whole / 2}" text-anchor="middle" transform="rotate(-90 14 {whole / 2})">here</text>']
    for family, title, silicon, ours in points:
        colour = colours[families.index(family) % len(colours)]
        out.append(f'<circle cx="{place(silicon):.1f}" cy="{whole - place(ours):.1f}" r="3" fill="{colour}" '
                   f'fill-opacity="0.6"><title>{html.escape(title)}: {silicon} and {ours:.2f}</title></circle>')
    for i, family in enumerate(families):
        y = edge + 16 * i
        out += [f'<circle cx="{whole - edge + 14}" cy="{y}" r="4" fill="{colours[i % len(colours)]}"/>',
                f'<text x="{whole - edge + 24}" y="{y + 4}">{html.escape(family)}</text>']
    file.write_text("\n".join(out + ["</svg>"]) + "\n")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    points = [(row["family"].partition(":")[0], row["row"], float(row["silicon"]), float(row["here"])) for row in rows]
    cycles = [value for point in points for value in point[2:]]
    decades = math.floor(math.log10(min(cycles))), math.ceil(math.log10(max(cycles)))
    picture(points, pathlib.Path(sys.argv[2]), decades, "cycles")


if __name__ == "__main__":
    main()
