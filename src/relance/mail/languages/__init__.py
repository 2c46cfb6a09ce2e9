"""The languages that people and their machines write in, one row each.

Rule 1: every row has its examples, and the tests read them; a pattern that misses its own example fails.
Rule 2: a row is only searched in a text that has its common words or its script, so that many cost what few do.
Rule 3: the words tell what a machine or a wish sounds like; `autoreply` and `opting_out` decide if they are enough.
"""

from relance.mail.languages.asian import ASIAN
from relance.mail.languages.eastern import EASTERN
from relance.mail.languages.language import Language
from relance.mail.languages.northern import NORTHERN
from relance.mail.languages.romance import ROMANCE
from relance.mail.languages.western import WESTERN

__all__ = ["LANGUAGES", "Language"]

LANGUAGES: tuple[Language, ...] = (*WESTERN, *ROMANCE, *NORTHERN, *EASTERN, *ASIAN)
