#!/usr/bin/env python3
"""Operations of ttnn over the links of several chips, compared with torch.

  mesh.py --describe ROWSxCOLUMNS       prints PENROSE_CHIPS, PENROSE_LINKS and, behind an empty line,
                                        the cluster descriptor that UMD looks for beside the library
  mesh.py ROWSxCOLUMNS [FABRIC] [OPERATION...]

FABRIC is 1d (default) or 2d. Prints a line of JSON for each operation: whether all chips have the
right result, and the seconds of its second call. Exit code 1 when a result is wrong.
"""
import json
import sys
import time

PORTS = 2  # between neighbours
ETHERNET_OFF = 0x3000  # tiles 12 and 13 of the die, as on the card "unharvested"


def neighbours(rows, columns):
    """Pairs of chips that are linked."""
    for chip in range(rows * columns):
        if chip % columns + 1 < columns:
            yield chip, chip + 1
        if chip + columns < rows * columns:
            yield chip, chip + columns


def cables(rows, columns):
    """(chip, port, chip, port) of each link; each chip gives its ports in order."""
    used = [0] * (rows * columns)
    for pair in neighbours(rows, columns):
        for _ in range(PORTS):
            yield pair[0], used[pair[0]], pair[1], used[pair[1]]
            for chip in pair:
                used[chip] += 1


def describe(rows, columns):
    """What the library and UMD are told; boards have two chips each."""
    chips = range(rows * columns)
    links = list(cables(rows, columns))
    print("PENROSE_CHIPS=" + " ".join("unharvested" for _ in chips))
    print("PENROSE_LINKS=" + " ".join(f"{a}:{m}-{b}:{n}" for a, m, b, n in links))
    print("\narch:")
    for chip in chips:
        print(f"  {chip}: blackhole")
    print("chips: {}\nchip_unique_ids:")
    for chip in chips:
        print(f"  {chip}: {0x8A2000000 + chip}")
    print("ethernet_connections:")
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


def run(rows, columns, fabric, names):
    """True when every operation is right on every chip."""
    import torch
    import ttnn

    count = rows * columns
    torch.manual_seed(1)
    left = torch.randn(1, 1, 96, 64 * count).bfloat16()
    right = torch.randn(1, 1, 96, 64 * count).bfloat16()
    parts = torch.chunk(left, count, 3)
    others = torch.chunk(right, count, 3)
    line = ttnn.Topology.Linear
    kind = {"1d": ttnn.FabricConfig.FABRIC_1D, "2d": ttnn.FabricConfig.FABRIC_2D}[fabric]
    ttnn.set_fabric_config(kind)
    start = time.time()
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(rows, columns))
    print(json.dumps({"operation": "open", "seconds": round(time.time() - start, 2)}), flush=True)

    def put(tensor):
        return ttnn.from_torch(tensor, layout=ttnn.TILE_LAYOUT, device=mesh,
                               mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=3))

    def shards(tensor):
        return [ttnn.to_torch(shard) for shard in ttnn.get_device_tensors(tensor)]

    def add():
        return shards(ttnn.add(put(left), put(right))), [a + b for a, b in zip(parts, others)]

    def point_to_point():
        last = ttnn.MeshCoordinate(0, columns - 1)
        result = ttnn.point_to_point(put(left), ttnn.MeshCoordinate(0, 0), last, topology=line)
        return [shards(result)[columns - 1]], [parts[0]]

    def all_gather():
        result = ttnn.all_gather(put(left), dim=3, cluster_axis=1, topology=line)
        rows_of = [torch.cat(parts[row * columns:(row + 1) * columns], 3) for row in range(rows)]
        return shards(result), [rows_of[chip // columns] for chip in range(count)]

    def all_reduce():
        total = sum(part.float() for part in parts)
        return shards(ttnn.all_reduce(put(left), topology=line)), [total] * count

    def reduce_scatter():
        result = ttnn.reduce_scatter(put(left), dim=3, cluster_axis=1, topology=line)
        wanted = []
        for chip in range(count):
            row = parts[chip // columns * columns:][:columns]
            wanted.append(torch.chunk(sum(part.float() for part in row), columns, 3)[chip % columns])
        return shards(result), wanted

    operations = {f.__name__: f for f in (add, point_to_point, all_gather, all_reduce, reduce_scatter)}
    is_right = True
    for name in names or operations:
        operations[name]()
        start = time.time()
        got, wanted = operations[name]()
        seconds = time.time() - start
        worst = min(torch.corrcoef(torch.stack([a.flatten().float(), b.flatten().float()]))[0, 1].item()
                    for a, b in zip(got, wanted))
        is_right &= worst > 0.999
        print(json.dumps({"operation": name, "seconds": round(seconds, 3), "right": worst > 0.999,
                          "correlation": round(worst, 6)}), flush=True)
    ttnn.close_mesh_device(mesh)
    ttnn.set_fabric_config(ttnn.FabricConfig.DISABLED)
    return is_right


def main():
    arguments = sys.argv[1:]
    shape = [argument for argument in arguments if argument[0].isdigit() and "x" in argument]
    if len(shape) != 1:
        sys.exit(__doc__)
    rows, columns = map(int, shape[0].split("x"))
    if "--describe" in arguments:
        describe(rows, columns)
        return
    rest = [argument for argument in arguments if argument != shape[0]]
    fabric = rest.pop(0) if rest and rest[0] in ("1d", "2d") else "1d"
    if not run(rows, columns, fabric, rest):
        sys.exit(1)


if __name__ == "__main__":
    main()
