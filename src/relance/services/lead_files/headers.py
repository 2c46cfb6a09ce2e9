"""What a column is, from its header in any language that people export in.

Rule 1: an explicit `--map` wins; then the words below; what is neither becomes a field in snake_case.
Rule 2: no column is lost: a second one of the same meaning keeps a name of its own.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from relance.services.lead_files.records import FileFormatError
from relance.services.refusals import WrongInputError

EMAIL = "email"
KEY = "idempotency_key"  #: Names an entry of somebody, so that the same one comes in once.
ERROR_HEADERS = ("line", "reason")  #: What a file of bad rows has before its own columns.

#: Field to its headers, without spaces, accents and punctuation. English, German, French, Spanish, Italian, Dutch,
#: Portuguese, Polish, Swedish, Danish, Norwegian, Finnish, Czech.
WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        EMAIL: (
            "email emailaddress emailaddresses emails mail mailaddress emailadresse mailadresse emailadres mailadres "
            "epost epostadress epostadresse courriel adressemail adresseemail adressedecourriel adresseelectronique "
            "adressedemessagerie correo correoelectronico direcciondecorreo direcciondecorreoelectronico "
            "direccionemail indirizzoemail indirizzomail postaelettronica indirizzodipostaelettronica enderecodeemail "
            "emaildocontato adresemail adresmail emailadress sahkoposti sahkopostiosoite emailovaadresa "
            "workemail businessemail companyemail primaryemail contactemail emailwork email1 email1value personemail "
            "emailgeschaeftlich emailgeschaftlich geschaeftlicheemail emailprofessionnel emailpro leademail"
        ),
        "first_name": (
            "firstname givenname forename first vorname rufname prenom nombre nombredepila nome primeironome voornaam "
            "imie fornamn fornavn etunimi jmeno krestnijmeno contactfirstname"
        ),
        "last_name": (
            "lastname surname familyname last nachname familienname zuname nom nomdefamille apellido apellidos cognome "
            "sobrenome apelido ultimonome achternaam familienaam nazwisko efternamn efternavn etternavn sukunimi "
            "prijmeni contactlastname"
        ),
        "full_name": (
            "fullname contactname completename vollername vollstaendigername vollstandigername ansprechpartner "
            "nomcomplet nombrecompleto nomecompleto nomecognome volledigenaam imieinazwisko heltnamn "
            "fuldtnavn fulltnavn"
        ),
        "company": (
            "company companyname organization organisation organizationname organisationname employer account "
            "accountname firma firmenname unternehmen unternehmensname betrieb entreprise nomdelentreprise societe "
            "raisonsociale empresa compania nombredelaempresa nomedaempresa azienda societa ragionesociale nomeazienda "
            "bedrijf bedrijfsnaam organisatie przedsiebiorstwo nazwafirmy foretag foretagsnamn virksomhed virksomhet "
            "bedrift yritys spolecnost"
        ),
        "title": (
            "title jobtitle position role jobposition berufsbezeichnung funktion stelle poste fonction intituleduposte "
            "cargo puesto ruolo posizione qualifica functie functietitel stanowisko befattning stilling titel "
            "titredeposte"
        ),
        "phone": (
            "phone phonenumber telephone telephonenumber mobile mobilephone mobilenumber cell cellphone tel telefon "
            "telefonnummer handy handynummer mobiltelefon mobilnummer telephoneportable portable numerodetelephone "
            "telefono numerodetelefono movil cellulare telefonnr telefoonnummer telefoon mobiel telefone celular "
            "numertelefonu komorka puhelin puhelinnumero"
        ),
        "website": (
            "website url web webseite homepage internetseite siteweb siteinternet sitioweb sitoweb strona witryna "
            "webbplats"
        ),
        "linkedin_url": (
            "linkedin linkedinurl linkedinprofile linkedinprofil linkedinprofileurl personlinkedinurl profilelinkedin"
        ),
        KEY: "idempotencykey",
        "external_id": "externalid externeid idexterne idesterno",
        "timezone": (
            "timezone tz zeitzone fuseauhoraire zonahoraria fusoorario tijdzone fusohorario strefaczasowa tidszon"
        ),
        "city": "city town ort stadt ville ciudad citta plaats stad cidade miasto by kaupunki mesto",
        "country": "country land pays pais paese kraj nation staat landcode countrycode",
    }
)
_FIELDS: Final = {word: field for field, words in WORDS.items() for word in words.split()}
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_FOLDED = str.maketrans({"ß": "ss", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "œ": "oe"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """What each column is, in the file's order; None: left out by a map."""

    headers: tuple[str, ...]
    fields: tuple[str | None, ...]
    notes: tuple[str, ...] = ()  #: What a person should know about unusual headers.

    @property
    def mapping(self) -> Mapping[str, str]:
        """Header to field, for showing."""
        return {h: f for h, f in zip(self.headers, self.fields, strict=True) if f is not None}


def match_headers(headers: Sequence[str], mapped: Mapping[str, str]) -> Columns:
    """Return what each column is; `mapped` is header to field, where an empty field leaves the column out.

    Raises FileFormatError when there is no address column, WrongInputError when a map names no column of the file.
    """
    names = tuple(" ".join(header.strip("\ufeff \t\r\n\x00").split()) for header in headers)
    explicit = _explicit(names, mapped)
    if names[:2] == ERROR_HEADERS:  # bad rows of an earlier import, corrected
        explicit = {0: "", 1: "", **explicit}
    taken: set[str] = {field for field in explicit.values() if field}
    fields: list[str | None] = []
    notes: list[str] = []
    for position, name in enumerate(names):
        if position in explicit:
            fields.append(explicit[position] or None)
            continue
        field = _FIELDS.get(squeezed(name)) or snake_case(name) or f"column_{position + 1}"
        if field in taken:
            own = snake_case(name)
            field = own if own and own not in taken else _numbered(field, taken)
            notes.append(f"column {position + 1} ({name or 'without a header'}) is kept as {field}")
        elif name and field == f"column_{position + 1}":
            notes.append(f"column {position + 1} ({name}) is kept as {field}; name it with --map '{name}=FIELD'")
        taken.add(field)
        fields.append(field)
    if EMAIL not in taken:
        _guess_email(names, fields)
    if EMAIL not in fields:
        shown = ", ".join(name for name in names if name)[:300] or "none"
        raise FileFormatError(
            f"there is no column with an e-mail address among the first line's ({shown}): "
            "name one with --map COLUMN=email"
        )
    return Columns(headers=names, fields=tuple(fields), notes=tuple(notes))


def snake_case(name: str) -> str:
    """Return a header as a template names it: `Company Name` is company_name; empty where nothing Latin is left."""
    words = re.sub(r"[^a-z0-9]+", "_", _ascii(_CAMEL.sub(" ", name))).strip("_")
    return f"_{words}" if words[:1].isdigit() else words


def squeezed(name: str) -> str:
    """Return a header without case, accents and punctuation, for comparing."""
    return re.sub(r"[^a-z0-9]+", "", _ascii(name))


def _ascii(text: str) -> str:
    folded = text.casefold().translate(_FOLDED)
    return "".join(c for c in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(c))


def _explicit(names: Sequence[str], mapped: Mapping[str, str]) -> dict[int, str]:
    found: dict[int, str] = {}
    for header, field in mapped.items():
        wanted = " ".join(header.split()).casefold()
        positions = [position for position, name in enumerate(names) if name.casefold() == wanted]
        if not positions:
            known = ", ".join(name for name in names if name)[:300]
            raise WrongInputError(f"--map names the column {header!r}, and the file has: {known}")
        named = snake_case(field)
        if field and not named:
            raise WrongInputError(f"--map {header}={field}: a field has a name such as first_name")
        if named and named in found.values():
            raise WrongInputError(f"--map gives the field {named} to two columns: give it to one")
        found[positions[0]] = named
    return found


def _numbered(field: str, taken: set[str]) -> str:
    number = 2
    while f"{field}_{number}" in taken:
        number += 1
    return f"{field}_{number}"


def _guess_email(names: Sequence[str], fields: list[str | None]) -> None:
    """Take the only column whose header speaks of mail."""
    likely = [position for position, name in enumerate(names) if "mail" in squeezed(name) and fields[position]]
    if len(likely) == 1:
        fields[likely[0]] = EMAIL
