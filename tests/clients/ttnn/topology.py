#!/usr/bin/env python3
"""Does UMD (the package tt-umd) find by itself what a card's cluster descriptor says?

usage: topology.py FOLDER

FOLDER is that of a card with several chips: libttsim.so, soc_descriptor.yaml, cluster_descriptor.yaml.
UMD opens the library in another folder, where there is no cluster descriptor, and looks at telemetry and
Ethernet tiles. Prints a line; exits 1 if boards, places on them, ids or links differ.
"""
import os
import sys
import tempfile

import tt_umd as umd

from umd import discover


def chips(cluster):
    """Board, its type, place on it, and id of each chip."""
    ids = cluster.get_chip_unique_ids()
    return {chip: (cluster.get_board_id_for_chip(chip), cluster.get_board_type(chip).name,
                   cluster.get_asic_location(chip), ids[chip]) for chip in cluster.get_all_chips()}


def links(cluster):
    return {frozenset(((chip, port), tuple(other)))
            for chip, ports in cluster.get_ethernet_connections().items()
            for port, other in ports.items()}


def described(folder):
    with open(os.path.join(folder, "cluster_descriptor.yaml")) as file:
        return umd.ClusterDescriptor.create_from_yaml_content(file.read())


def found(folder):
    with tempfile.TemporaryDirectory() as place:
        for name in ("libttsim.so", "soc_descriptor.yaml"):
            os.symlink(os.path.join(os.path.abspath(folder), name), os.path.join(place, name))
        cluster, _ = discover(os.path.join(place, "libttsim.so"))
        return cluster


def main():
    wanted, got = described(sys.argv[1]), found(sys.argv[1])
    for facts in (chips, links):
        if facts(got) != facts(wanted):
            print(f"FAILED: {facts.__name__}: {facts(got)}, expected {facts(wanted)}")
            sys.exit(1)
    print(f"ok: {len(chips(got))} chips, {len(links(got))} links")


if __name__ == "__main__":
    main()
