"""Dumps (docs/DUMPS.md) from others than Penrose: written here, read from devices and from files."""
