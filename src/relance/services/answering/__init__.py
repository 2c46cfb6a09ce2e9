"""Answers by hand: written and taken back (`writing`), and what the engine does with them on their way (`leaving`).

That one has left is recorded by `relance.services.ingestion.answered`, since it does what a message by hand does.
"""
