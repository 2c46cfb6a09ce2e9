"""The day a person says to be back.

Rule 1: a date that could be read two ways (9/8/2026) is not guessed; None is right, a wrong hold is not.
Rule 2: what stands after "back", "return" or "until" counts; a bare date in the text does not.
Rule 3: a date without a year is the next such day after the message came; a day further off than 400 days or past is
        no return.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta

MAX_TEXT = 4000
_FURTHEST = timedelta(days=400)
_NEAR = timedelta(days=200)  # For dates without a year: further off, the past one was meant.
_REACH = 60  # Characters between the word and its date.

_MONTHS = {
    1: (
        "january|januar|janvier|enero|gennaio|januari|janeiro|jan|janv|ene|gen|tammikuuta|"
        "stycznia|января|ledna|januára|január|ianuarie|siječnja|januara|januarja|ocak|ιανουαρίου|"
        "січня|ינואר|يناير|janvāris"
    ),
    2: (
        "february|februar|février|fevrier|febrero|febbraio|februari|fevereiro|feb|févr|fév|"
        "helmikuuta|lutego|февраля|února|februára|február|februarie|veljače|februara|februarja|"
        "şubat|φεβρουαρίου|лютого|פברואר|فبراير"
    ),
    3: (
        "march|märz|maerz|mars|marzo|maart|março|mar|mrt|maaliskuuta|marca|марта|března|március|"
        "martie|ožujka|marta|mart|μαρτίου|березня|מרץ|مارس|maret|mac"
    ),
    4: (
        "april|avril|abril|aprile|apr|avr|abr|huhtikuuta|kwietnia|апреля|dubna|apríla|április|"
        "aprilie|travnja|aprila|nisan|απριλίου|квітня|אפריל|أبريل"
    ),
    5: ("may|mai|mayo|maggio|mei|maj|maio|toukokuuta|maja|мая|května|mája|május|svibnja|mayıs|μαΐου|травня|מאי|مايو"),
    6: (
        "june|juni|juin|junio|giugno|junho|jun|kesäkuuta|czerwca|июня|června|júna|június|iunie|"
        "lipnja|juna|junija|haziran|ιουνίου|червня|יוני|يونيو"
    ),
    7: (
        "july|juli|juillet|julio|luglio|julho|jul|heinäkuuta|lipca|июля|července|júla|július|"
        "iulie|srpnja|jula|julija|temmuz|ιουλίου|липня|יולי|يوليو"
    ),
    8: (
        "august|août|aout|agosto|augustus|augusti|aug|ago|elokuuta|sierpnia|августа|srpna|augusta|"
        "augusztus|kolovoza|avgusta|ağustos|αυγούστου|серпня|אוגוסט|أغسطس|agustus|ogos"
    ),
    9: (
        "september|septembre|septiembre|settembre|setembro|sept|sep|set|syyskuuta|września|"
        "сентября|září|septembra|szeptember|septembrie|rujna|eylül|σεπτεμβρίου|вересня|ספטמבר|"
        "سبتمبر"
    ),
    10: (
        "october|oktober|octobre|octubre|ottobre|outubro|oct|okt|out|lokakuuta|października|"
        "октября|října|októbra|október|octombrie|oktobra|ekim|οκτωβρίου|жовтня|אוקטובר|أكتوبر"
    ),
    11: (
        "november|novembre|noviembre|novembro|nov|marraskuuta|listopada|ноября|listopadu|novembra|"
        "noiembrie|studenoga|studenog|kasım|νοεμβρίου|листопада|נובמבר|نوفمبر"
    ),
    12: (
        "december|dezember|décembre|decembre|diciembre|dicembre|dezembro|dec|dez|déc|dic|"
        "joulukuuta|grudnia|декабря|prosince|decembra|decembrie|prosinca|aralık|δεκεμβρίου|грудня|"
        "דצמבר|ديسمبر|desember"
    ),
}
_WEEKDAYS = (
    "monday|montag|lundi|lunes|lunedì|maandag|måndag|mandag|segunda-feira",
    "tuesday|dienstag|mardi|martes|martedì|dinsdag|tisdag|tirsdag|terça-feira",
    "wednesday|mittwoch|mercredi|miércoles|mercoledì|woensdag|onsdag|quarta-feira",
    "thursday|donnerstag|jeudi|jueves|giovedì|donderdag|torsdag|quinta-feira",
    "friday|freitag|vendredi|viernes|venerdì|vrijdag|fredag|sexta-feira",
    "saturday|samstag|sonnabend|samedi|sábado|sabato|zaterdag|lördag|lørdag",
    "sunday|sonntag|dimanche|domingo|domenica|zondag|söndag|søndag",
)
_NUMBER_OF = {name: number for number, names in _MONTHS.items() for name in names.split("|")}
_DAY_OF = {name: number for number, names in enumerate(_WEEKDAYS) for name in names.split("|")}
_NAMES = "|".join(sorted(_NUMBER_OF, key=len, reverse=True))
_DAY = r"(?P<{0}>\d{{1,2}})(?:st|nd|rd|th|er|\.|º|ª|:e)?"
_YEAR = r"(?P<{0}>20\d\d)"
_DATE = re.compile(
    r"(?<![\d./])(?<!\d[,-])(?:"
    r"(?P<iso_y>20\d\d)[-/.](?P<iso_m>\d{1,2})[-/.](?P<iso_d>\d{1,2})"
    r"|(?:(?P<cjk_y>20\d\d)[年년] ?)?(?P<cjk_m>\d{1,2})[月월] ?(?P<cjk_d>\d{1,2})[日号일]"
    rf"|{_DAY.format('dm_d')}\s*(?:of |de |di |d'|ב)?\s*(?P<dm_m>{_NAMES})\b\.?(?:,?\s*(?:de |"
    rf"del )?{_YEAR.format('dm_y')})?"
    rf"|(?P<md_m>{_NAMES})\b\.?\s*(?:\d{{1,2}}\s*[-–—]\s*)?{_DAY.format('md_d')}(?![\d:])"
    rf"(?:,?\s*{_YEAR.format('md_y')})?"
    rf"|(?P<dot_d>\d{{1,2}})\.\s?(?P<dot_m>\d{{1,2}})\.(?:\s?(?P<dot_y>20\d\d|\d\d))?"
    r"|(?P<n_a>\d{1,2})(?P<n_s>[/-])(?P<n_b>\d{1,2})(?P=n_s)(?P<n_y>20\d\d|\d\d)"
    rf"|(?P<weekday>{'|'.join(_DAY_OF)})\b(?!,? \d|,? (?:the )?\d|,? (?:{_NAMES})\b)"
    r"|(?P<tomorrow>tomorrow|morgen früh|demain|mañana|domani|imorgon)"
    r")(?![\d/])",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"\b(?:return(?:ing|s)?|(?:be |am |i'm |get |come )?back|resum\w+|available again|reachable again|"
    r"in (?:the )?office again|"
    r"wieder (?:im büro|erreichbar|da|zurück|für sie|verfügbar)|zurück|ab dem|de retour|serai de retour|"
    r"reprendrai|à partir du|regreso|"
    r"vuelvo|volveré|de vuelta|a partir del|rientr\w+|torn\w+|sarò di nuovo|a partire dal|terug|"
    r"weer (?:aanwezig|bereikbaar)|vanaf|"
    r"tillbaka|åter|tilbage|tilbake|takaisin|retorn\w+|regress\w+|de volta|estarei|"
    r"zpět|vrátím se|vracím se|späť|vrátim sa|visszatérek|ismét|revin|mă întorc|vraćam se|"
    r"vračam se|ponovno|döneceğim|"
    r"wracam|wrócę|palaan|quay lại|trở lại|kembali|повернуся|повертаюся|επιστρέφω|"
    r"θα επιστρέψω)\b|戻り|返回|回来|복귀|вернусь|"
    r"возвращаюсь|אחזור|חוזר|سأعود|العودة|с\b",
    re.IGNORECASE,
)
_UNTIL = re.compile(
    r"\b(?:until|till?|through|thru|up to(?: and including)?|to|bis(?: einschließlich|"
    r" einschliesslich)?(?: zum)?|jusqu(?:'au|e au|'à)|au|hasta(?: el)?|al|"
    r"fino al|tot(?: en met)?|t/m|till och med|t\.o\.m\.|til og med|t\.o\.m|saakka|asti|até(?: o| ao)?|do|po|"
    r"до|până (?:pe|la|în)|έως(?: τις)?|μέχρι(?: τις)?|עד(?: ה-?)?|حتى|đến(?: hết)?(?: ngày)?|"
    r"sampai|hingga)\b|(?<=[\d.])\s?[-–—](?=\s?\d)",
    re.IGNORECASE,
)
# Languages that put the word behind the date, and "July 10-31".
_FOLLOWED = re.compile(
    r"\s?(?:まで|以降|より|に戻|から|至|返回|回来|前|까지|부터|saakka|asti|"
    r"(?:tarihine|'?[ye]?[ae]) kadar|tarihinde|-?ig\b)"
)
_RANGE = re.compile(r"\w+\.?\s*\d{1,2}\s*[-–—]\s*\d{1,2}")


def return_date(text: str, received: date | None) -> date | None:
    """Return the day of return that an absence notice names, or None if it names none or not clearly.

    `received` is the day the notice came; without it only dates with a year are understood.
    """
    plain = " ".join(text[:MAX_TEXT].replace("’", "'").split())
    for word, strict in ((_BACK, True), (_UNTIL, False)):
        found = [day for match in word.finditer(plain) for day in _after(plain, match.end(), received, strict=strict)]
        if found:
            return found[0]
    named = [
        match for match in _DATE.finditer(plain) if _FOLLOWED.match(plain, match.end()) or _RANGE.match(match.group())
    ]
    days = [day for match in named if (day := _plausible(match, received)) is not None]
    return days[0] if days else None


def _after(text: str, at: int, received: date | None, *, strict: bool) -> Iterator[date]:
    reach = _REACH if strict else 16
    match = _DATE.search(text, at, at + reach + 24)
    if match is None or match.start() > at + reach or re.search(r"[.!?] [A-ZÀ-Þ]", text[at : match.start()]):
        return
    day = _plausible(match, received)
    if day is not None:
        yield day


def _plausible(match: re.Match[str], received: date | None) -> date | None:
    day = _day(match, received)
    return day if day is not None and (received is None or received <= day <= received + _FURTHEST) else None


def _day(match: re.Match[str], received: date | None) -> date | None:
    found = match.groupdict()
    if found["weekday"] or found["tomorrow"]:
        return _soon(found["weekday"], received)
    for prefix in ("iso", "cjk", "dot"):
        if found[f"{prefix}_d"]:
            return _made(found[f"{prefix}_y"], int(found[f"{prefix}_m"]), int(found[f"{prefix}_d"]), received)
    for prefix in ("dm", "md"):
        if found[f"{prefix}_d"]:
            return _made(
                found[f"{prefix}_y"], _NUMBER_OF[found[f"{prefix}_m"].casefold()], int(found[f"{prefix}_d"]), received
            )
    first, second = int(found["n_a"]), int(found["n_b"])
    if first > 12 or first == second:
        return _made(found["n_y"], second, first, received)
    return _made(found["n_y"], first, second, received) if second > 12 else None


def _made(year: str | None, month: int, day: int, received: date | None) -> date | None:
    try:
        if year:
            return date(int(year) + (2000 if len(year) == 2 else 0), month, day)
        if received is None:
            return None
        this_year = date(received.year, month, day)
        following = this_year if this_year >= received else date(received.year + 1, month, day)
        return following if following <= received + _NEAR else None
    except ValueError:
        return None


def _soon(weekday: str | None, received: date | None) -> date | None:
    if received is None:
        return None
    if weekday is None:
        return received + timedelta(days=1)
    ahead = (_DAY_OF[weekday.casefold()] - received.weekday() - 1) % 7 + 1
    return received + timedelta(days=ahead)
