"""The languages of northern Europe."""

from relance.mail.languages.language import Language

SWEDISH = Language(
    code="sv",
    name="Swedish",
    common="jag är på och att det inte för mig av den har från hos oss",
    away_subject=(
        r"autosvar|automatiskt? (?:svar|meddelande)|frånvar|(?:jag är )?(?:på semester|ledig)|semester|ej på "
        r"kontoret|inte på kontoret|föräldraledig"
    ),
    absent=(
        r"\b(?:jag är|vi är|är jag)\b.{0,40}(?:inte på kontoret|på (?:semester|tjänsteresa|resande fot)|ledig|"
        r"tjänstledig|föräldraledig|frånvarande|bortrest|sjukskriven|åter|tillbaka)|(?:åter|tillbaka) (?:på "
        r"kontoret|den|igen)"
    ),
    limits=r"begränsad (?:tillgång|möjlighet)|läser inte (?:min|mina) (?:mejl|mail|e-?post)",
    cover=(
        r"vid brådskande|i brådskande|under (?:min|denna) (?:frånvaro|semester|tid)|kontakta (?:istället|i "
        r"stället)|(?:är|om det är) brådskande"
    ),
    machine=r"det(?:ta)? (?:här )?är ett (?:automatiskt|autosvar)|automatiskt (?:genererat|skickat)|automatiskt svar",
    gone=(
        r"\bslutat\b|(?:arbetar|jobbar) inte längre|inte längre (?:anställd|kvar|i bruk|aktiv|används)|gått i "
        r"pension|används inte längre|(?:min )?nya (?:e-?post|mejl|mail)?adress|adressen (?:har ändrats|är "
        r"nedlagd|har upphört)"
    ),
    stop_words="stopp?|avregistrera|avsluta|avprenumerera|avanmäl(?:a)?|ta bort mig",
    stop=(
        r"\b(?:ta bort|avregistrera|stryk|plocka bort|avprenumerera|avanmäl) (?:mig|oss|min)|\binga fler "
        r"(?:mejl|mail|e-?post|utskick)|\b(?:vill|önskar) inte (?:ha|få) (?:fler|några|mer)|\bsluta (?:mejla|"
        r"maila|skicka|kontakta)"
    ),
    subject_example="Autosvar: Fråga",
    away_example="Jag är på semester och åter på kontoret den 14 augusti. Vid brådskande ärenden kontakta växeln.",
    gone_example="Anna Lee har slutat hos oss.",
    stop_examples=("Avregistrera", "Vänligen ta bort mig från listan."),
)
DANISH = Language(
    code="da",
    name="Danish",
    common="jeg er på og det ikke til mig den har fra hos af jeres",
    away_subject=(
        r"autosvar|automatisk (?:svar|besked|meddelelse)|fravær|(?:jeg er )?(?:på (?:ferie|orlov|barsel)|ikke "
        r"på kontoret)|ferie|ikke til stede|barsel"
    ),
    absent=(
        r"\b(?:jeg er|vi er|er jeg)\b.{0,40}(?:ikke på kontoret|på (?:ferie|orlov|barsel|rejse)|fraværende|"
        r"bortrejst|ude af huset|tilbage|syg)|tilbage (?:på kontoret|igen|den|mandag)"
    ),
    limits=r"begrænset (?:adgang|mulighed)|læser ikke (?:min|mine) (?:mail|e-?mail)",
    cover=(
        r"(?:ved|i) (?:hastende|presserende)|haster det|i (?:min|mit) fravær|under (?:min|mit) (?:ferie|"
        r"fravær)|kontakt venligst"
    ),
    machine=r"dette er (?:et|en) (?:autosvar|automatisk)|automatisk (?:genereret|svar|sendt)",
    gone=(
        r"(?:arbejder|er) ikke længere|ikke længere (?:ansat|i brug|aktiv|hos)|fratrådt|stoppet (?:hos|i)|"
        r"gået på pension|har forladt|bruges ikke længere|(?:min )?nye (?:mail|e-?mail)?adresse|adressen er "
        r"(?:nedlagt|ændret)"
    ),
    stop_words="stop|afmeld(?: mig)?|frameld(?: mig)?|afmelding|slet mig|fjern mig",
    stop=(
        r"\b(?:afmeld|frameld|fjern|slet) (?:mig|os|min)\b|\bingen flere (?:mails?|e-?mails?|henvendelser)|"
        r"\b(?:ønsker|vil) ikke (?:at )?(?:modtage|have|få) (?:flere|mere|jeres)|\bstop med at (?:sende|"
        r"skrive|maile|kontakte)"
    ),
    subject_example="Automatisk svar: Spørgsmål",
    away_example=(
        "Jeg er på ferie og tilbage på kontoret den 14. august. Ved hastende henvendelser ring til receptionen."
    ),
    gone_example="Anne Lee arbejder ikke længere hos Example.",
    stop_examples=("Afmeld", "Fjern mig fra jeres liste."),
)
NORWEGIAN = Language(
    code="no",
    name="Norwegian",
    common="jeg er på og det ikke til meg den har fra hos av meld vennligst",
    away_subject=(
        r"autosvar|automatisk (?:svar|melding)|fravær|(?:jeg er )?(?:på (?:ferie|permisjon)|ikke på kontoret)|"
        r"ferie|ikke til stede|permisjon"
    ),
    absent=(
        r"\b(?:jeg er|vi er|er jeg)\b.{0,40}(?:ikke (?:på kontoret|til stede)|på (?:ferie|permisjon|reise)|"
        r"fraværende|bortreist|tilbake|syk|ute av kontoret)|tilbake (?:på kontoret|igjen|den|mandag)"
    ),
    limits=r"begrenset (?:tilgang|mulighet)|leser ikke (?:e-?post|mail)",
    cover=(
        r"(?:ved|i|for) (?:hastesaker|viktige|presserende)|haster det|(?:i|under) (?:mitt fravær|min ferie|"
        r"ferien)|vennligst kontakt|ta kontakt med"
    ),
    machine=r"dette er (?:et|en) (?:autosvar|automatisk)|automatisk (?:generert|svar|sendt)",
    gone=(
        r"(?:jobber|arbeider|er) ikke lenger|ikke lenger (?:ansatt|i bruk|aktiv|hos)|\bsluttet (?:hos|i|å)|"
        r"gått av med pensjon|brukes ikke lenger|(?:min )?nye (?:e-?post|mail)?adresse|adressen er (?:nedlagt|"
        r"endret)"
    ),
    stop_words="stopp|avmeld(?: meg)?|meld meg av|avmelding|slett meg|fjern meg",
    stop=(
        r"\b(?:avmeld|fjern|slett) (?:meg|oss|min)|\bmeld (?:meg|oss) av|\bingen flere (?:mails?|e-?post)|"
        r"\b(?:ønsker|vil) ikke (?:å )?(?:motta|ha|få) (?:flere|mer|deres)|\bslutt (?:å|med å) (?:sende|"
        r"skrive|kontakte)"
    ),
    subject_example="Automatisk svar: Spørsmål",
    away_example="Jeg er på ferie og er tilbake på kontoret 14. august. Ved hastesaker ring sentralbordet.",
    gone_example="Anne Lee jobber ikke lenger hos Example.",
    stop_examples=("Avmeld", "Vennligst fjern meg fra listen."),
)
FINNISH = Language(
    code="fi",
    name="Finnish",
    common="olen en ei ole ja minut enää tämä voin",
    away_subject=r"automaattinen (?:vastaus|viesti)|poissa|lomalla|olen (?:poissa|lomalla)|poissaolo|en ole paikalla",
    absent=(
        r"\bolen (?:\w+ )?(?:poissa|lomalla|vapaalla|matkoilla|äitiyslomalla|vanhempainvapaalla|"
        r"sairauslomalla)|en ole (?:tavoitettavissa|paikalla|töissä)"
    ),
    limits=(
        r"\bpalaan (?:\w+ )?(?:töihin|toimistolle|takaisin)?|luen sähköpost\w+ (?:rajoitetusti|satunnaisesti)|"
        r"takaisin (?:töissä|toimistolla)"
    ),
    cover=r"kiireellisissä (?:asioissa|tapauksissa)|poissa ollessani|lomani aikana|ota(?:than)? yhteyttä",
    machine=r"tämä on automaattinen|automaattinen (?:vastaus|viesti)",
    gone=(
        r"(?:en|ei) (?:ole enää|työskentele enää)|(?:jäänyt|jäin) eläkkeelle|ei ole enää (?:käytössä|"
        r"palveluksessa)|uusi (?:sähköposti)?osoit"
    ),
    stop_words="peru(?:uta)?(?: tilaus)?|poista|lopeta|poista minut",
    stop=(
        r"\bpoist(?:a|akaa|akaapa) (?:minut|osoitteeni|tietoni)|\ben halua (?:enää )?(?:saada|vastaanottaa|"
        r"näitä|lisää)|\bälkää (?:lähettäkö|ottako)|\blopettakaa"
    ),
    subject_example="Automaattinen vastaus: Kysymys",
    away_example="Olen lomalla ja palaan töihin 14.8. Kiireellisissä asioissa ota yhteyttä vaihteeseen.",
    gone_example="Anna Lee ei ole enää palveluksessamme.",
    stop_examples=("Peruuta", "Poistakaa minut listalta."),
)

NORTHERN = (SWEDISH, DANISH, NORWEGIAN, FINNISH)
