"""What known servers say in words of their own, and what they mean by it.

Rule 1: each row has an example, and the tests read it: a row that an earlier one swallows fails.
Rule 2: the first row that fits decides, before the sentences that any server may say (`relance.mail.bounce_phrases`).
Rule 3: a row fits a provider's documented code or sentence, never one message.

Patterns meet the text as `relance.mail.bounce_reasons` prepares it: case-folded, single spaces, straight apostrophes,
addresses as a lone `@`. How to add one: docs/how-to/add-a-mail-rule.md.
"""

from relance.mail.dialects.access import ACCESS
from relance.mail.dialects.gateways import GATEWAYS
from relance.mail.dialects.providers import PROVIDERS
from relance.mail.dialects.row import Dialect
from relance.mail.dialects.servers import SERVERS

__all__ = ["DIALECTS", "Dialect"]

DIALECTS: tuple[Dialect, ...] = (*PROVIDERS, *GATEWAYS, *ACCESS, *SERVERS)
