"""What comes in, in one direction: stage → recognise → ingest → apply.

`stage.py` keeps fetched messages together with the cursor; `recognise.py` finds the attempts that a message may be
about; `ingest.py` decides and keeps it; `apply.py` carries out what it does, all in one transaction.
"""

from relance.services.ingestion.answered import answer_left, settle_answer
from relance.services.ingestion.ingest import Ingested, ingest
from relance.services.ingestion.shelve import shelve
from relance.services.ingestion.stage import (
    StagedMessage,
    is_anything_staged,
    mark_failed,
    stage_batch,
    staged_copies_of,
    staged_of,
    waiting_mailboxes,
)

__all__ = [
    "Ingested",
    "StagedMessage",
    "answer_left",
    "ingest",
    "is_anything_staged",
    "mark_failed",
    "settle_answer",
    "shelve",
    "stage_batch",
    "staged_copies_of",
    "staged_of",
    "waiting_mailboxes",
]
