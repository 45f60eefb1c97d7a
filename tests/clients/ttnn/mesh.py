#!/usr/bin/env python3
"""Operations of ttnn over the links of several chips, compared with torch.

  mesh.py --describe SHAPE [FABRIC]     prints the file for penrose exec --cluster
  mesh.py --graph SHAPE [FABRIC]        prints the mesh graph descriptor, without which tt-metal chooses
                                        the shape of the fabric itself
  mesh.py --list                        a line for each operation
  mesh.py --table FOLDER...             a table of the files results.jsonl in these folders
  mesh.py SHAPE [FABRIC] [OPERATION...]

SHAPE is ROWSxCOLUMNS, FABRIC 1d (default), ring, 2d or none. Prints a line of JSON for each operation: the
result, the seconds of its second call, the worst correlation of a chip. Exit code 1 when a result is
not "right". mesh_operations.py has the operations.
"""
import json
import sys
import time

PORTS = 2  # between neighbours
ETHERNET_OFF = 0x3000  # tiles 12 and 13 of the die, as on the card "unharvested"
FABRICS = {"none": "DISABLED", "1d": "FABRIC_1D", "ring": "FABRIC_1D_RING", "2d": "FABRIC_2D"}
TRACE_BYTES = 1 << 20


def neighbours(rows, columns, fabric):
    """Pairs of chips that are linked; in a ring the first of a row with the last, too."""
    for chip in range(rows * columns):
        if chip % columns + 1 < columns:
            yield chip, chip + 1
        elif fabric == "ring" and columns > 2:
            yield chip + 1 - columns, chip
        if chip + columns < rows * columns:
            yield chip, chip + columns


def cables(rows, columns, fabric):
    """(chip, port, chip, port) of each link; each chip gives its ports in order."""
    used = [0] * (rows * columns)
    for pair in neighbours(rows, columns, fabric):
        for _ in range(PORTS):
            yield pair[0], used[pair[0]], pair[1], used[pair[1]]
            for chip in pair:
                used[chip] += 1


def describe(rows, columns, fabric):
    """A cluster file: whole chips, two on a board."""
    chips = range(rows * columns)
    links = list(cables(rows, columns, fabric))
    print("arch:")
    for chip in chips:
        print(f"  {chip}: blackhole")
    print("chips: {}\nchip_unique_ids:")
    for chip in chips:
        print(f"  {chip}: {0x8A2000000 + chip}")
    print("ethernet_connections:" + ("" if links else " []"))
    for a, m, b, n in links:
        print(f"  - [{{chip: {a}, chan: {m}}}, {{chip: {b}, chan: {n}}}]")
    print("ethernet_connections_to_remote_devices: []\nchips_with_mmio:")
    for chip in chips:
        print(f"  - {chip}: {chip}")
    print("harvesting:")
    for chip in chips:
        pcie = 2 - chip % 2
        print(f"  {chip}: {{noc_translation: true, harvest_mask: 0, dram_harvesting_mask: 0, "
              f"eth_harvesting_mask: {ETHERNET_OFF}, pcie_harvesting_mask: {pcie}, "
              "l2cpu_harvesting_mask: 0}")
    print("boards:")
    for board in range((len(chips) + 1) // 2):
        own = [chip for chip in chips if chip // 2 == board]
        print(f"  - [{{board_id: {0x44000000000 + board}}}, {{board_type: p300}}, "
              f"{{chips: {own}}}]")
    print("asic_locations:")
    for chip in chips:
        print(f"  {chip}: {chip % 2}")


def graph(rows, columns, fabric):
    around = "dim_types: [ LINE, RING ] " if fabric == "ring" else ""
    print(f"""mesh_descriptors {{
  name: "M0"
  arch: BLACKHOLE
  device_topology {{ dims: [ {rows}, {columns} ] {around}}}
  host_topology {{ dims: [ 1, 1 ] }}
  channels {{ count: {PORTS} policy: RELAXED }}
}}
top_level_instance {{ mesh {{ mesh_descriptor: "M0" mesh_id: 0 }} }}""")


def judge(got, wanted):
    """The worst correlation of all results, -1 where one has another shape or no number."""
    import torch

    worst = 1.0
    for a, b in zip(got, wanted):
        if a.numel() != b.numel() or not torch.isfinite(a.float()).all():
            return -1.0
        both = torch.stack([a.flatten().float(), b.flatten().float()])
        if not torch.equal(both[0], both[1]):
            worst = min(worst, torch.corrcoef(both)[0, 1].item())
    return worst if len(got) == len(wanted) else -1.0


def measure(mesh, function):
    """What is told of an operation, and whether it is right."""
    try:
        function(mesh)
        start = time.time()
        got, wanted = function(mesh)
        seconds = time.time() - start
    except Exception as error:  # the client's own checks
        why = str(error).partition("info:")[2] or str(error)
        return {"result": "refused", "why": why.strip().splitlines()[0][:300]}
    worst = judge(got, wanted)
    return {"result": "right" if worst > 0.99 else "wrong", "seconds": round(seconds, 3),
            "correlation": round(worst, 5)}


def run(rows, columns, fabric, names):
    """True when every operation is right on every chip."""
    import torch
    import ttnn
    from mesh_operations import NEEDS, OPERATIONS, Mesh

    torch.manual_seed(1)
    ttnn.set_fabric_config(getattr(ttnn.FabricConfig, FABRICS[fabric]))
    start = time.time()
    device = ttnn.open_mesh_device(ttnn.MeshShape(rows, columns), trace_region_size=TRACE_BYTES)
    print(json.dumps({"operation": "open", "seconds": round(time.time() - start, 2)}), flush=True)
    mesh = Mesh(device, rows, columns, fabric)
    is_right = True
    for name in names or OPERATIONS:
        if name in NEEDS and not NEEDS[name](mesh):
            continue
        print(f"begins {name}", flush=True)
        told = measure(mesh, OPERATIONS[name])
        is_right &= told["result"] == "right"
        print(json.dumps({"operation": name, **told}), flush=True)
    ttnn.close_mesh_device(device)
    ttnn.set_fabric_config(ttnn.FabricConfig.DISABLED)
    return is_right


def table(folders):
    """Prints seconds where results are right, and else what is told."""
    results = {folder: [json.loads(line) for line in open(f"{folder}/results.jsonl")] for folder in folders}
    cells = {(told["operation"], folder): str(told["seconds"]) if told.get("result", "right") == "right"
             else told["result"] for folder in folders for told in results[folder]}
    names = dict.fromkeys(told["operation"] for folder in folders for told in results[folder])
    heads = [folder.rstrip("/").rpartition("/")[2].replace("-", " ") for folder in folders]
    for row in [["operation", *heads], ["---"] * (1 + len(heads)),
                *[[name, *[cells.get((name, folder), "") for folder in folders]] for name in names]]:
        print("| " + " | ".join(row) + " |")


def main():
    options = [argument for argument in sys.argv[1:] if argument.startswith("--")]
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    if options == ["--list"]:
        from mesh_operations import OPERATIONS

        print("\n".join(OPERATIONS))
        return
    if options == ["--table"] and arguments:
        table(arguments)
        return
    if not arguments or not arguments[0][0].isdigit() or "x" not in arguments[0]:
        sys.exit(__doc__)
    rows, columns = map(int, arguments.pop(0).split("x"))
    fabric = arguments.pop(0) if arguments and arguments[0] in FABRICS else "1d"
    if options == ["--describe"]:
        describe(rows, columns, fabric)
    elif options == ["--graph"]:
        graph(rows, columns, fabric)
    elif not run(rows, columns, fabric, arguments):
        sys.exit(1)


if __name__ == "__main__":
    main()
