"""The words of machines that answer for people, in the languages that they speak.

Subjects are matched at their beginning, after tags; texts are matched in the new text, case-folded, with single spaces.
"""

SUBJECT_SIGNS = (
    (
        r"auto(?:matic|mated|matisch\w*)?[ -]?(?:repl(?:y|ies)|response|responder|answer|antwort\w*)\b|autoreply|"
        r"auto\s?:|auto-?reply"
    ),
    (
        r"out of (?:the )?office|out-of-office|\booo\b|away from (?:the |my )?(?:office|desk|mail)|i am away|"
        r"away until|on (?:vacation|holiday|leave)\b|vacation (?:reply|response)|"
        r"(?:annual|parental|maternity|paternity|sick) leave|not in (?:the )?office"
    ),
    (
        r"automatische (?:antwort|e-?mail|antwoord|rückmeldung)|automatisch antwoord|abwesen|abwesend|"
        r"nicht im (?:büro|haus)|urlaub|außer haus|ausser haus"
    ),
    r"r[ée]ponse automatique|absen(?:t|ce)|message d'absence|notification d'absence|en congés?",
    (
        r"respuesta autom[aá]tica|fuera de (?:la )?oficina|ausen(?:te|cia)|risposta automatica|fuori (?:sede|"
        r"ufficio)|assen(?:te|za)|resposta autom[aá]tica|fora do escrit[óo]rio"
    ),
    (
        r"afwezig|niet aanwezig|autosvar|auto-svar|automatiskt? svar|frånvaro|fravær|ikke til stede|"
        r"automaattinen vastaus|poissa|automatyczna odpowied[źz]|nieobecno"
    ),
    (
        r"automatická odpověď|automatikus válasz|házon kívül|răspuns automat|otomatik yan[ıi]t|ofis dışında|"
        r"автоматический ответ|автоответ|автоматична відповідь|αυτόματη απάντηση"
    ),
    (
        r"自动(?:回复|答复)|自動(?:回覆|回信|返信|応答)|不在|休暇|外出|자동 ?(?:회신|응답|답장)|부재|رد تلقائي|"
        r"מענה אוטומטי|תשובה אוטומטית|"
        r"trả lời tự động|balasan otomatis"
    ),
)
TEXT_SIGNS = (
    (
        r"\bi(?:'m| am| will be)(?: \w+){0,2} (?:out of (?:the )?office|away from (?:the |my )?(?:office|desk|"
        r"e-?mail)|on (?:annual |parental |maternity |paternity |sick |holiday |medical )?"
        r"(?:leave|vacation|holidays?|pto)|travell?ing)\b"
    ),
    r"(?:limited|no|intermittent|sporadic|restricted) access to (?:my )?(?:e-?mail|messages|phone)",
    (
        r"this is an auto(?:matic|mated|-)? ?(?:reply|response|message|e-?mail|generated)|"
        r"automatic(?:ally)? (?:generated )?(?:reply|response)|auto-?generated|apologi[sz]e for this automatic"
    ),
    r"(?:currently|presently) (?:out of|away|on (?:leave|vacation|holiday)|not in the office)",
    (
        r"(?:your|the) (?:e-?mail|message|enquiry|inquiry|request) (?:has been|was) (?:received|successfully)|"
        r"we have received your (?:e-?mail|message|request|enquiry)"
    ),
    (
        r"(?:ich bin|wir sind|bin ich|sind wir)\b.{0,60}(?:nicht (?:im büro|im haus|erreichbar|da)|im urlaub|"
        r"außer haus|ausser haus|abwesend|in elternzeit)|(?:e-?mails?|nachrichten) werden nicht "
        r"(?:weitergeleitet|gelesen|bearbeitet)|dies ist eine automatische"
    ),
    (
        r"je suis (?:actuellement )?(?:absent|en congé|en déplacement|en vacances)|je serai absent|"
        r"actuellement absent|ceci est (?:une réponse|un message) automatique"
    ),
    (
        r"(?:estoy|estaré|me encuentro)\b.{0,40}(?:fuera de la oficina|de vacaciones|ausente)|"
        r"sono (?:attualmente )?(?:assente|fuori ufficio|in ferie)|sarò assente|estou (?:de férias|ausente|fora)|"
        r"estarei ausente"
    ),
    (
        r"ik ben (?:momenteel |tijdelijk )?(?:niet (?:aanwezig|op kantoor)|afwezig|met (?:vakantie|verlof))|"
        r"jag är (?:inte på kontoret|på semester|ledig|tjänstledig|frånvarande)|jeg er (?:ikke på kontoret|"
        r"på ferie|fraværende)"
    ),
    (
        r"olen (?:poissa|lomalla)|przebywam na urlopie|jestem nieobecn|jsem mimo kancelář|szabadságon vagyok|"
        r"в отпуске|отсутствую|休暇を|不在にして|休假|不在办公室|外出中|부재중|휴가"
    ),
)
PERMANENT_SIGNS = (
    (
        r"no longer (?:\w+ )?(?:work(?:s|ing)?|employed|with|part of|at|affiliated|associated)\b|(?:has|have|i've|"
        r"i) (?:now )?(?:retired|resigned|departed)\b|(?:has|have|i've) (?:now )?left (?!a|my|you)|"
        r"\bretired?\b.{0,60}\b(?:no longer|address|company)|my last (?:working )?day (?:was|at)|"
        r"no longer (?:using|use|check|checking|read|reading|monitor|monitoring|reachable at|"
        r"available at) (?:\w+ )?(?:this|my|e-?mail)"
    ),
    (
        r"(?:address|mailbox|account|inbox)\b.{0,40}\b(?:no longer (?:in use|active|used|monitored|valid|exists?|"
        r"checked)|not (?:in use|monitored) any ?more|has been (?:closed|deactivated|discontinued)|"
        r"will be (?:deleted|closed))"
    ),
    (
        r"(?:arbeite|arbeitet|ist|bin)\b.{0,40}\bnicht mehr\b.{0,40}(?:bei|für|im unternehmen|in der|tätig|"
        r"beschäftigt|erreichbar|unternehmen)|(?:unternehmen|firma) verlassen|aus(?:dem)? .{0,20}ausgeschieden|"
        r"im ruhestand|(?:adresse|postfach)\b.{0,40}nicht mehr (?:aktiv|gültig|gelesen|verwendet|genutzt|"
        r"in gebrauch)"
    ),
    (
        r"ne (?:fait|travaille|suis|fais)\b.{0,20}plus (?:partie|chez|dans|au sein)|quitté (?:la société|"
        r"l'entreprise|ses fonctions|mes fonctions)|n'est plus (?:utilisée?|active|valide|en service)|"
        r"à la retraite|"
        r"ya no (?:trabaj|forma|estoy|pertenec|utiliz)\w*|he dejado|non (?:lavor[oa]|fa|faccio) più|"
        r"non è più (?:attiv|in uso)|já não (?:trabalh|faz|faço)\w*|não trabalh\w+ mais|"
        r"niet (?:meer|langer) (?:werkzaam|in dienst|in gebruik|actief|bij)|(?:slutat|arbetar inte längre)|"
        r"inte längre|(?:arbejder|jobber) ikke (?:længere|lenger)|ikke længere|nie pracuj[eę]|больше не (?:работа|"
        r"использ)|"
        r"已离职|已離職|不再使用|退職|使用していません|퇴사|더 이상 사용"
    ),
)
# The ones that are a machine's even when neither a header nor the subject says so: a person speaks of itself or of
# the address.
FAREWELL_SIGNS = (
    (
        r"\b(?:this|my|the) (?:old )?(?:e-?mail )?(?:address|mailbox|account|"
        r"inbox)\b.{0,40}\b(?:no longer (?:in use|active|used|monitored|valid|exists?|checked)|not (?:in use|"
        r"monitored) any ?more|has been (?:closed|deactivated|discontinued))"
    ),
    (
        r"\bi(?:'m| am) no longer (?:\w+ )?(?:with|at|working|employed|part of|using|checking|reading|"
        r"monitoring)\b|\bi no longer (?:work|use|check|read|monitor)\b|\bi(?:'ve| have)? (?:now )?retired\b|"
        r"\bi have (?:left|resigned from) (?:the company|my position)"
    ),
    (
        r"\bich (?:arbeite|bin) (?:\w+ ){0,3}nicht mehr (?:bei|für|im|in|unter)\b|"
        r"\bdiese (?:e-?mail-?)?adresse\b.{0,40}nicht mehr|\bich habe das unternehmen verlassen|"
        r"\bich bin im ruhestand"
    ),
    (
        r"\bje ne (?:fais|travaille|suis) plus\b|\bcette adresse\b.{0,40}n'est plus|"
        r"\bj'ai quitté\b.{0,30}(?:société|entreprise)|\bya no (?:trabajo|formo|uso|utilizo)\b|\bnon lavoro più\b|"
        r"\bik (?:werk|ben) niet (?:meer|langer)\b"
    ),
    r"已离职|已離職|退職しました|この(?:メール)?アドレスは",
)
# Headers of autoresponders, and what they must hold (None: their presence is enough).
HEADER_SIGNS: tuple[tuple[str, str | None], ...] = (
    ("x-autoreply", r"yes|true|1|auto"),
    ("x-autorespond", None),
    ("x-autoresponder", None),
    ("x-auto-reply", None),
    ("x-autoreply-from", None),
    ("x-autoreply-domain", None),
    ("x-mail-autoreply", None),
    ("x-mail-autoresponder", None),
    ("x-vacation", None),
    ("x-fc-machinegenerated", r"true|yes"),
    ("x-post-messageclass", r"9"),
    ("precedence", r"auto[-_ ]?repl"),
    ("x-precedence", r"auto[-_ ]?repl"),
    ("preference", r"auto[-_ ]?repl"),
    ("delivered-to", r"autorespond"),
    ("x-mailer", r"vacation|autorespond|autoreply"),
    ("return-path", r"auto-?respond|auto-?reply|vacation"),
    ("x-ms-exchange-generated-message-source", r"mailbox rules agent|oof"),
)
CHALLENGE_SIGNS = (
    (
        r"(?:challenge[- ]response|sender verification|verify (?:that )?you(?:'re| are) (?:a )?(?:human|real|not)|"
        r"prove (?:that )?you(?:'re| are) (?:a )?human)"
    ),
    (
        r"(?:allow|accept|receive)\b.{0,60}\b(?:only from|from) (?:senders|people|"
        r"addresses)\b.{0,40}\b(?:approved|know|list)|(?:added|add (?:me|yourself|you)) to (?:my|the|his|her|"
        r"our) (?:list of )?"
        r"(?:approved|allowed|safe|guest|white)"
    ),
    (
        r"(?:confirm|verify|authenticate|validate)\b.{0,40}\b(?:your (?:message|e-?mail|mail|identity|"
        r"address))\b.{0,120}\b(?:deliver|click|link|reply|released)"
    ),
    (
        r"(?:click|reply|follow)\b.{0,80}\b(?:to|so that) .{0,40}\b(?:release|deliver) (?:your|this|"
        r"the) (?:message|e-?mail|mail)"
    ),
    (
        r"spamarrest|spam arrest|spamblocker|boxbe|\btmda\b|mailblocks|qurb|uol antispam|antispam uol|0spam|"
        r"sendio|bluebottle|mail(?:ino|inator) verification"
    ),
)
CHALLENGE_SUBJECTS = (
    r"please confirm (?:your )?(?:message|e-?mail|delivery)|sender verification|verify your (?:message|"
    r"e-?mail) to|confirm(?:ation)? (?:required|needed).{0,30}(?:message|deliver)|\[boxbe\]|challenge"
)
