"""The language: what people write, read strictly, checked, and compiled into a graph."""

from agentsim.spec.load import Source, load

__all__ = ["Source", "load"]
