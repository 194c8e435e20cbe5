"""Incident worlds (`world/1`): recorded incidents as folders of files, read through the port of live evidence."""

from superbiz.adapters.snapshot.source import SnapshotSource
from superbiz.adapters.snapshot.world import World, find_worlds, read_world

__all__ = ["SnapshotSource", "World", "find_worlds", "read_world"]
