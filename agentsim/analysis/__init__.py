"""What records mean: traces go in, figures come out. Nothing here draws, prints or simulates."""

from agentsim.analysis.fold import Folder, fold
from agentsim.analysis.outcome import Tally
from agentsim.analysis.summary import summarise

__all__ = ["Folder", "Tally", "fold", "summarise"]
