"""The version, in one place: written into every trace and read by the build."""

from __future__ import annotations

__all__ = ["VERSION"]

VERSION = "0.1.0"
