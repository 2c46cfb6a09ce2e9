"""English, German and Dutch."""

from relance.mail.languages.language import Language

ENGLISH = Language(
    code="en",
    name="English",
    common="i the to is am are of my your for and you we this with not will from please",
    away_subject=(
        r"auto(?:matic|mated)?[ -]?(?:repl(?:y|ies)|response|responder|answer)\b|auto\s?:|auto-?re(?:ply|"
        r"sponse)\b|out of (?:the )?office|out-of-office|\booo\b|away from (?:the |my )?(?:office|desk|"
        r"e?-?mail)|i(?:'m| am) (?:away|out|on (?:leave|holiday|vacation))|away (?:until|till|notice|message)|"
        r"on (?:vacation|holiday|leave|annual leave|parental leave|maternity leave|paternity leave|sick "
        r"leave)\b|vacation (?:reply|response|notice|message|auto)|holiday (?:reply|notice|closure)|(?:annual|"
        r"parental|maternity|paternity|sick) leave|(?:currently )?not in (?:the )?office|(?:we have |we've "
        r")?received your (?:e-?mail|message|enquiry|inquiry|request)|thank(?:s| you) for (?:your (?:e-?mail|"
        r"message|enquiry|inquiry)|contacting|e-?mailing|getting in touch)|(?:no longer (?:with|at|working|in "
        r"use)|e-?mail address (?:change|has changed)|change of (?:e-?mail )?address|new e-?mail address|i "
        r"have left)"
    ),
    absent=(
        r"\b(?:i(?:'m| am|'ll be| will be| shall be)|we(?:'re| are| will be)|our offices? (?:is|are|will "
        r"be))(?: \w+){0,3} (?:out of (?:the )?(?:office|country)|out on|away (?:from|until|till|on)|closed|"
        r"on (?:(?:annual|parental|maternity|paternity|sick|family|medical|personal|holiday|a|my|extended|"
        r"unpaid) )*(?:leave|vacation|holidays?|pto|sabbatical|break|travel)|(?:not )?in the office (?:until|"
        r"from|on|again)|travell?ing)\b|\b(?:currently|presently) (?:out of|away|on (?:\w+ )?(?:leave|"
        r"vacation|holiday)|not in the office|unavailable)|\bnot (?:be )?(?:in the office|checking|reading|"
        r"able to (?:check|read|respond|reply)|available)\b.{0,40}(?:until|e-?mail|during|office)"
    ),
    limits=(
        r"\bin the meantime\b|"
        r"(?:limited|no|intermittent|sporadic|restricted|infrequent) (?:internet |e-?mail )?access(?: to)?\b|"
        r"\b(?:with|have) (?:limited|no|little) access\b|\b(?:i(?:'ll| will)|will) (?:\w+ )?(?:return|be back|"
        r"respond|reply|get back|answer|read)\b.{0,60}\b(?:on|upon|when|after|as soon|once|in the)\b"
    ),
    cover=(
        r"\b(?:if|for)\b.{0,60}\b(?:urgent|immediate(?:ly)?|emergenc\w+|assistance)\b.{0,60}\b(?:contact|call|"
        r"e-?mail|reach|write)|(?:in my absence|while i(?:'m| am) (?:away|out)|during (?:my|this) (?:absence|"
        r"time|period))"
    ),
    received=(
        r"(?:your|the) (?:e-?mail|message|enquiry|inquiry|request|ticket) (?:has been|was|is being) "
        r"(?:successfully )?(?:received|forwarded|logged|registered|created)|we(?:'ve| have) received your "
        r"(?:e-?mail|message|request|enquiry|inquiry)"
    ),
    machine=(
        r"this is an auto(?:matic(?:ally)?|mated|-)? ?(?:generated )?(?:e-?mail )?(?:reply|response|message|"
        r"e-?mail|generated|acknowledge?ment|notification)|automatic(?:ally)? (?:generated )?(?:reply|"
        r"response|message|e-?mail)|auto-?(?:generated|reply|responder)|automated (?:reply|response|message|"
        r"e-?mail)|(?:do not|don't) (?:reply|respond) to this (?:e-?mail|message|address)|this (?:mailbox|"
        r"inbox|address) is (?:not|un) ?(?:being )?monitored|sent automatically"
    ),
    gone=(
        r"\bno longer (?:\w+ )?(?:work(?:s|ing)? (?:at|for|with|here|in this)|employed|with (?:the|us|our|"
        r"this|[a-z]+)|part of|at [a-z]|affiliated|associated|an employee)|\b(?:has|have|i've|i|he|she|they) "
        r"(?:now )?(?:retired|resigned|departed)\b|\b(?:has|have|i've|'s) (?:now |recently )?left (?!a |my |"
        r"you|it|this (?:message|note))|\b(?:has|have|i've) (?:moved on|ceased)\b|\bmy last (?:working )?day "
        r"(?:was|at|with|is)|no longer (?:using|use|check|checking|read|reading|monitor|monitoring|reachable "
        r"at|available at) (?:\w+ )?(?:this|my|e-?mail)|\b(?:address|mailbox|account|inbox)\b.{0,40}\b(?:is "
        r"no longer|no longer (?:in use|active|used|monitored|valid|exists?|checked)|not (?:in use|monitored|"
        r"active|valid) any ?more|has been (?:closed|deactivated|discontinued|retired|replaced)|will be "
        r"(?:deleted|closed|deactivated)|has changed|changed to|has moved)|\bmy (?:new )?e-?mail(?: address)? "
        r"(?:has changed|is now|will be)|\bplease (?:update|use) (?:my|our) new e-?mail"
    ),
    stop_words=(
        "stop|unsubscribe|unsub|remove|optout|opt[- ]out|remove (?:me|us)|unsubscribe me|take me off|opt me "
        "out|cancel subscription|no more e?-?mails?|stop (?:e-?)?mails?|stop (?:e-?)?mailing(?: me)?|stop "
        "sending|unsubscribe (?:thanks|thank you)|delete me"
    ),
    stop=r"(?!)",  # relance.mail.opting_out has them: English tells advice from wishes.
    subject_example="Automatic reply: Question",
    away_example=(
        "I am out of the office until Monday with limited access to email. For urgent matters please contact Bob."
    ),
    gone_example="Please note that I no longer work at Example Ltd. This address is no longer monitored.",
    stop_examples=("Unsubscribe", "Please remove me from your list."),
)
GERMAN = Language(
    code="de",
    name="German",
    common="ich ist und der die das nicht bin bis sie für wir mich uns bitte keine ihre ihrem",
    away_subject=(
        r"automatische (?:antwort|e-?mail|rückmeldung|nachricht|empfangsbestätigung)|auto-?antwort|abwesen|"
        r"(?:ich bin )?(?:zur ?zeit |derzeit |momentan |aktuell )?(?:abwesend|nicht (?:im (?:büro|haus|"
        r"dienst)|erreichbar|am platz|da))|(?:im )?urlaub|au(?:ß|ss)er haus|betriebsferien|out of office|"
        r"elternzeit|(?:vielen dank|danke) für ihre (?:e-?mail|nachricht|anfrage)|eingangsbestätigung|neue "
        r"e-?mail-?adresse"
    ),
    absent=(
        r"\b(?:ich bin|wir sind|bin ich|sind wir|ich befinde mich|befinde ich mich|bin)\b.{0,70}(?:nicht "
        r"(?:im (?:büro|haus|dienst)|erreichbar|da\b|am arbeitsplatz|anwesend|persönlich)|im (?:\w+ )?urlaub|"
        r"au(?:ß|ss)er haus|abwesend|in (?:elternzeit|mutterschutz|kur)|auf (?:dienstreise|geschäftsreise|"
        r"reisen)|erkrankt|krank|unterwegs|wieder (?:im (?:büro|haus|dienst)|erreichbar|da|für sie)|nur "
        r"(?:eingeschränkt|begrenzt|sporadisch))"
    ),
    limits=(
        r"(?:e-?mails?|nachrichten?) (?:werden|wird) (?:in dieser zeit |während (?:meiner abwesenheit|dieser "
        r"zeit) |derzeit )?(?:nicht (?:automatisch )?(?:weitergeleitet|gelesen|bearbeitet|beantwortet)|nach "
        r"meiner rückkehr|weitergeleitet)|keinen (?:regelmäßigen )?zugriff auf"
    ),
    cover=(
        r"(?:in|bei) (?:sehr )?dringenden (?:fällen|angelegenheiten)|meine (?:urlaubs)?vertretung|während "
        r"meiner abwesenheit|wenden sie sich (?:bitte )?(?:in dieser zeit |in dringenden fällen )?an|bis zu "
        r"meiner rückkehr"
    ),
    received=(
        r"(?:ihre|deine) (?:e-?mail|nachricht|anfrage) (?:ist (?:bei uns )?eingegangen|wurde (?:empfangen|"
        r"weitergeleitet|erfasst))|(?:wir haben|habe) ihre (?:e-?mail|nachricht|anfrage) erhalten"
    ),
    machine=(
        r"dies(?:e|es)? (?:ist eine |e-?mail (?:wurde|ist) |nachricht (?:wurde|ist) )(?:eine "
        r")?automati(?:sche?|sch generiert)|automatisch (?:generierte?|erzeugte?|erstellte?|versandte?)|"
        r"automatische (?:antwort|abwesenheits)|antworten sie (?:bitte )?nicht auf diese"
    ),
    gone=(
        r"(?:arbeite|arbeitet|ist|bin|sind)\b.{0,40}\bnicht (?:mehr|länger)\b.{0,40}(?:bei|für|im unternehmen|"
        r"in der|tätig|beschäftigt|erreichbar|unternehmen|unter dieser|gültig|aktiv)|(?:unternehmen|firma|"
        r"haus|verein) verlassen|aus(?:dem| unserem| der)? .{0,30}ausgeschieden|im (?:wohlverdienten "
        r")?ruhestand|in (?:rente|pension|den ruhestand)|(?:adresse|postfach|konto)\b.{0,40}nicht (?:mehr|"
        r"länger) (?:aktiv|gültig|gelesen|verwendet|genutzt|in gebrauch|abgerufen|betreut)|(?:meine|unsere) "
        r"neue (?:e-?mail-?)?adresse (?:lautet|ist)|e-?mail-?adresse hat sich geändert"
    ),
    stop_words=(
        "stopp?|abmelden|abbestellen|austragen|abmeldung|keine (?:e-?)?mails? mehr|keine werbung(?: mehr)?|"
        "bitte (?:abmelden|austragen|löschen)|löschen|newsletter abmelden"
    ),
    stop=(
        r"\b(?:nehmen|streichen|löschen|entfernen|tragen) sie (?:mich|uns|bitte (?:mich|meine)|meine\b.{0,30}|"
        r"diese adresse)\b.{0,60}\b(?:verteiler|liste|datenbank|aus|daten)|\bkeine weiteren (?:e-?mails|"
        r"nachrichten|anfragen)|\b(?:kontaktieren|schreiben|belästigen) sie (?:mich|uns|mir) (?:bitte "
        r")?(?:nicht (?:mehr|wieder)|nie wieder)|\b(?:möchte|wünsche|will)\b.{0,40}\bkeine (?:weiteren "
        r")?(?:e-?mails?|nachrichten|werbung)|\bwiderspreche\b.{0,60}(?:nutzung|verwendung|verarbeitung|"
        r"werbung)|\bunterlassen sie\b.{0,60}(?:mails?|werbung|kontakt|zusendung)"
    ),
    subject_example="Abwesenheitsnotiz: Frage",
    away_example="Ich bin bis zum 14.8.2026 nicht im Büro. In dringenden Fällen wenden Sie sich bitte an Frau Weber.",
    gone_example="Frau Lee ist nicht mehr bei der Example GmbH tätig.",
    stop_examples=("Abmelden", "Bitte nehmen Sie mich aus Ihrem Verteiler."),
)
DUTCH = Language(
    code="nl",
    name="Dutch",
    common="ik het een van niet ben voor mij uw met wij geen op",
    away_subject=(
        r"automatisch (?:antwoord|bericht)|automatische (?:e-?mail|reactie|beantwoording)|afwezig(?:heid)?|"
        r"niet aanwezig|(?:met |op )(?:vakantie|verlof)|vakantie|niet op kantoor|ik ben (?:afwezig|op "
        r"vakantie|met verlof)|ontvangstbevestiging|buiten kantoor"
    ),
    absent=(
        r"\b(?:ik ben|ben ik|wij zijn|zijn wij)\b.{0,50}(?:niet (?:aanwezig|op kantoor|bereikbaar|"
        r"beschikbaar)|afwezig|(?:met|op) (?:\w+ )?(?:vakantie|verlof|zwangerschapsverlof|reis)|gesloten|weer "
        r"(?:aanwezig|bereikbaar|op kantoor)|beperkt bereikbaar|ziek)"
    ),
    limits=(
        r"(?:geen|beperkt(?:e)?) toegang tot mijn|lees (?:ik )?mijn (?:e-?mail|mail) niet|e-?mail wordt niet "
        r"(?:gelezen|doorgestuurd)"
    ),
    cover=(
        r"(?:in|voor) (?:dringende|urgente|spoedeisende) (?:gevallen|zaken|vragen)|bij (?:spoed|urgente)|"
        r"(?:tijdens|in) mijn afwezigheid|na mijn terugkomst|neem dan contact op"
    ),
    received=(
        r"(?:uw|je) (?:e-?mail|bericht|vraag) is (?:ontvangen|doorgestuurd)|(?:wij|we) hebben (?:uw|je) "
        r"(?:e-?mail|bericht) (?:in goede orde )?ontvangen"
    ),
    machine=(
        r"dit is een automatisch|automatisch (?:gegenereerd|verzonden|verstuurd)|(?:gelieve )?niet (?:te "
        r")?(?:antwoorden|reageren) op (?:deze|dit)"
    ),
    gone=(
        r"niet (?:meer|langer) (?:werkzaam|in dienst|in gebruik|actief|bij|werkt|gelezen|bereikbaar op|geldig|"
        r"gebruikt)|(?:werk|werkt|ben|is)\b.{0,20} niet (?:meer|langer)\b.{0,30}(?:bij|voor|werkzaam|in "
        r"dienst|in gebruik)|uit dienst|met pensioen|heeft (?:ons|het|de) (?:bedrijf|"
        r"organisatie)?.{0,20}verlaten|mijn nieuwe (?:e-?mail|mail)?adres|adres is (?:gewijzigd|veranderd|"
        r"opgeheven)"
    ),
    stop_words=(
        "stop|afmelden|uitschrijven|afmelding|meld (?:mij )?af|schrijf (?:mij )?uit|geen mails? meer|uitschrijving"
    ),
    stop=(
        r"\b(?:schrijf|meld) (?:mij|me|ons) (?:uit|af)|\bverwijder (?:mij|me|ons|mijn)\b.{0,40}\b(?:lijst|"
        r"bestand|database|maillijst|adres|systeem)|\bhaal (?:mij|me|ons)\b.{0,30}\b(?:lijst|bestand)|\bgeen "
        r"(?:e-?)?mails? meer|\bwil(?:len)? geen .{0,20}(?:e-?)?mails? (?:meer )?ontvangen|\bstop met "
        r"(?:mailen|het (?:sturen|mailen))|\b(?:mail|stuur|benader) (?:mij|me|ons) niet meer"
    ),
    subject_example="Automatisch antwoord: Vraag",
    away_example="Ik ben afwezig tot en met 14 augustus. Voor dringende zaken kunt u bellen.",
    gone_example="Mevrouw Lee is niet meer werkzaam bij Example.",
    stop_examples=("Afmelden", "Wilt u mij uitschrijven? Verwijder mij uit uw bestand."),
)

WESTERN = (ENGLISH, GERMAN, DUTCH)
