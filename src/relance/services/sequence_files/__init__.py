"""Sequence files: YAML (or JSON of the same shape) into a plan, or into everything that is wrong with it."""

from relance.services.sequence_files.nodes import Problem
from relance.services.sequence_files.reading import Broken, Reading, Sound, read_sequence_file, read_sequence_text

__all__ = ["Broken", "Problem", "Reading", "Sound", "read_sequence_file", "read_sequence_text"]
