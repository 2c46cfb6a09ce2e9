"""Files of leads: CSV as people's programs write it, read row by row, imported in batches; nothing is lost."""

from relance.services.lead_files.headers import Columns, match_headers
from relance.services.lead_files.importing import BatchResult, import_batch, preview_batch
from relance.services.lead_files.reading import BadRow, EmptyRow, LeadFile, LeadRow, open_lead_file
from relance.services.lead_files.records import FileFormatError

__all__ = [
    "BadRow",
    "BatchResult",
    "Columns",
    "EmptyRow",
    "FileFormatError",
    "LeadFile",
    "LeadRow",
    "import_batch",
    "match_headers",
    "open_lead_file",
    "preview_batch",
]
