"""The languages of western and southern Europe."""

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
FRENCH = Language(
    code="fr",
    name="French",
    common="je le la les est et pas vous ne du au votre nous merci pour ma suis des une",
    away_subject=(
        r"r[ée]ponse automatique|absen(?:t|ce)|message (?:automatique|d'absence)|(?:notification|avis|notice) "
        r"d'absence|en (?:congés?|vacances|déplacement)|(?:je suis )?absente?\b|hors du bureau|accusé de "
        r"réception|changement d'adresse|nouvelle adresse"
    ),
    absent=(
        r"\bje suis (?:actuellement |en ce moment )?(?:absent|en (?:congé|déplacement|vacances|arrêt|"
        r"formation)|hors du bureau|indisponible|injoignable)|je (?:serai|reste) (?:absent|en congé|de retour|"
        r"indisponible)|actuellement absent|(?:nous sommes|nos bureaux (?:sont|seront)) (?:actuellement "
        r")?(?:fermés|en congé|absents)"
    ),
    limits=(
        r"(?:accès (?:limité|restreint|ponctuel)|pas accès) (?:à|aux) (?:mes|ma|la)|(?:ne (?:pourrai|"
        r"consulte)\w* pas).{0,40}(?:mails?|messages?|messagerie)"
    ),
    cover=(
        r"(?:en cas d'urgence|pour toute (?:urgence|demande urgente|question urgente))|en mon absence|"
        r"(?:durant|pendant) (?:mon absence|cette période)"
    ),
    received=(
        r"votre (?:message|mail|e-?mail|courriel|demande) a (?:bien )?été (?:reçue?|pris|transmis|"
        r"enregistrée?)|nous avons bien reçu votre"
    ),
    machine=(
        r"ceci est (?:une réponse|un message|un e-?mail|un courriel) automatique|(?:message|réponse|e-?mail|"
        r"courriel) (?:généré|envoyée?) automatiquement|merci de ne pas répondre à (?:ce|cet)"
    ),
    gone=(
        r"\bne (?:fait|travaille|suis|fais|fera|sera)\b.{0,20}plus (?:partie|chez|dans|au sein|à|en poste|"
        r"joignable)|quitté (?:la société|l'entreprise|le groupe|ses fonctions|mes fonctions|l'association|"
        r"notre|définitivement)|n'est plus (?:utilisée?|active|valide|en service|consultée?|parmi|dans|chez|"
        r"en fonction|joignable)|(?:à la|en|pris (?:ma|sa)) retraite|\bn'existe plus\b|ma nouvelle adresse "
        r"(?:mail |e-?mail |électronique )?est|adresse\b.{0,30}\ba changé|a été (?:désactivée|fermée|"
        r"supprimée)"
    ),
    stop_words=(
        "stop|désinscription|désabonner|désinscrire|désabonnement|désinscrivez[- ]moi|désabonnez[- ]moi|"
        "retirez[- ]moi|se désabonner|se désinscrire|me désinscrire|stop (?:mails?|pub)|plus de mails?"
    ),
    stop=(
        r"\b(?:désinscri\w+|désabonn\w+|retir\w+|supprim\w+|enlev\w+)[- ]?(?:moi|nous|mon adresse|mes "
        r"coordonnées)|\b(?:me|nous) (?:désinscrire|désabonner|retirer de|supprimer de|enlever de)|\bne "
        r"(?:plus|pas) (?:me|nous) (?:contacter|écrire|envoyer|solliciter|recevoir|démarcher)|\bne (?:m'|me |"
        r"nous )(?:contact|écri|envoy|sollicit|démarch)\w+ plus|\bne (?:souhait\w+|veux|désir\w+|voulons) "
        r"plus (?:recevoir|être|en recevoir)|\b(?:cessez|arrêtez) de (?:m'|me |nous )|"
        r"\bm'oppose\b.{0,60}(?:données|prospection|traitement)"
    ),
    subject_example="Réponse automatique : Question",
    away_example=(
        "Je suis actuellement en congés. En cas d'urgence, contactez le standard. Je serai de retour le 14 août."
    ),
    gone_example="Bonjour, Mme Lee a quitté la société.",
    stop_examples=("Désinscription", "Merci de me retirer de votre liste."),
)
SPANISH = Language(
    code="es",
    name="Spanish",
    common="el los que su por para mi ya es estoy favor una del las",
    away_subject=(
        r"respuesta autom[aá]tica|fuera de (?:la )?oficina|ausen(?:te|cia)|de vacaciones|vacaciones|mensaje "
        r"autom[aá]tico|contestaci[oó]n autom[aá]tica|cambio de (?:correo|direcci[oó]n)|acuse de recibo"
    ),
    absent=(
        r"\b(?:estoy|estaré|me encuentro|estamos|me encontraré)\b.{0,40}(?:fuera de (?:la oficina|mi oficina|"
        r"mi lugar)|de vacaciones|ausente|de (?:baja|permiso|viaje)|sin acceso)|nuestras oficinas (?:estarán|"
        r"permanecerán) cerradas|no estar[eé] (?:disponible|en la oficina)"
    ),
    limits=r"acceso (?:limitado|restringido) a(?:l| mi)|(?:no tendr[eé]|sin) acceso",
    cover=(
        r"(?:en caso de|para (?:cualquier|temas|asuntos)) (?:urgencia|urgentes?|emergencia)|durante mi "
        r"ausencia|en mi ausencia"
    ),
    received=(
        r"(?:hemos|he) recibido su (?:correo|mensaje|solicitud|consulta)|su (?:mensaje|correo|solicitud) ha "
        r"sido (?:recibid|registrad)"
    ),
    machine=(
        r"(?:este|ésta?|esta) es (?:un|una) (?:mensaje|respuesta|correo) autom[aá]tic|(?:mensaje|respuesta|"
        r"correo) (?:generad|enviad)[oa] autom[aá]ticamente|no responda a este (?:mensaje|correo)"
    ),
    gone=(
        r"ya no (?:trabaj\w+|forma\w*|estoy|está|pertenec\w+|utiliz\w+|labora\w*)|ha(?:n|s)? dejado (?:de "
        r"trabajar|la empresa|de pertenecer|la compañía)|he dejado|se ha jubilado|me he jubilado|jubilad[oa]|"
        r"(?:direcci[oó]n|correo|cuenta|buz[oó]n)\b.{0,40}(?:ya no (?:es|está|existe)|no está (?:activ|"
        r"operativ)|ha cambiado|ha sido (?:dad|desactivad|eliminad|cancelad))|mi nuev[oa] (?:correo|"
        r"direcci[oó]n|e-?mail)"
    ),
    stop_words=(
        "baja|d[ea]r?(?:me|se)? de baja|cancelar suscripci[oó]n|quiero darme de baja|por favor,? baja|"
        "borrar(?:me)?|eliminar(?:me)?|no m[aá]s correos"
    ),
    stop=(
        r"\b(?:dar(?:me|se|nos)|d[ea]me|denme|dadme|d[eé]nos) de baja|\b(?:elim[ií]n\w+|borr\w+|quit\w+|"
        r"s[aá]qu?\w+|remov\w+|remu[eé]v\w+)(?:me|nos) de|\b(?:elimin|borr)\w+ mi (?:correo|dirección|email)|"
        r"\bno (?:me |nos )?(?:env[ií]en?|escriban?|contacten?|manden?|escriba) m[aá]s|\bno (?:deseo|quiero|"
        r"queremos|deseamos) (?:seguir )?(?:recib\w+|m[aá]s)|\bdej[ea]n? de (?:enviar|escribir|mandar|"
        r"contactar)"
    ),
    subject_example="Respuesta automática: Pregunta",
    away_example="Me encuentro fuera de la oficina hasta el lunes. En caso de urgencia contacte con recepción.",
    gone_example="La señora Lee ya no trabaja en Example S.A.",
    stop_examples=("Baja", "Por favor, elimínenme de su lista."),
)
PORTUGUESE = Language(
    code="pt",
    name="Portuguese",
    common="os que não por meu minha para da já estou favor esta uma em sua",
    away_subject=(
        r"resposta autom[áa]tica|fora do escrit[óo]rio|ausen(?:te|cia|ência)|aus[êe]ncia|(?:estou )?(?:de|em) "
        r"férias|férias|mensagem autom[áa]tica|fora da empresa"
    ),
    absent=(
        r"\b(?:estou|estarei|encontro-me|me encontro|estamos|estaremos)\b.{0,40}(?:de férias|em férias|"
        r"ausente|fora d[oae]|de licença|em licença|em viagem|de folga|sem acesso)|não estarei (?:disponível|"
        r"no escritório)"
    ),
    limits=r"acesso (?:limitado|restrito) ao?s?|(?:sem|não terei) acesso",
    cover=(
        r"em caso de (?:urgência|emergência)|para assuntos urgentes|durante (?:a )?(?:minha|esta) ausência|na "
        r"minha ausência"
    ),
    received=(
        r"(?:recebemos|recebi) (?:o )?(?:seu|sua) (?:e-?mail|mensagem|pedido|contato|contacto)|(?:seu|sua) "
        r"(?:e-?mail|mensagem) foi recebid"
    ),
    machine=(
        r"(?:esta|este) é um[a]? (?:mensagem|resposta|e-?mail) autom[áa]tic|(?:mensagem|resposta|e-?mail) "
        r"(?:gerad|enviad)[oa] automaticamente|não responda (?:a )?(?:este|esta)"
    ),
    gone=(
        r"(?:já )?não (?:trabalh\w+|faz|faço|está|pertenc\w+|integra\w*|colabor\w+) (?:mais|parte|na empresa|"
        r"n[ao]s?|connosco)|não (?:trabalh\w+|faz parte|faço parte|está) mais|deixou (?:a empresa|de "
        r"(?:trabalhar|fazer))|deixei (?:a empresa|de)|aposent(?:ou|ad)|reform(?:ou-se|ad[oa])|desligad[oa] "
        r"da empresa|(?:endereço|e-?mail|conta|caixa)\b.{0,40}(?:não (?:é|está|será) (?:mais )?(?:utilizad|"
        r"usad|ativ|monitorad)|foi (?:desativad|encerrad|alterad)|mudou)|meu novo (?:e-?mail|endereço)"
    ),
    stop_words=(
        "descadastrar|remover|cancelar (?:inscrição|subscrição|assinatura)|sair|remova-me|me remova|"
        "descadastre-me|anular subscrição|parar"
    ),
    stop=(
        r"\b(?:remova|retire|exclua|descadastre|tire|elimine|apague)[- ]?(?:me|meu|o meu|nos)\b|\bme (?:remov|"
        r"retir|exclu|descadastr|tir)\w+\b|\bnão (?:quero|desejo|queremos|pretendo) (?:mais )?(?:receber|ser "
        r"contact)|\bnão (?:me |nos )?(?:envi|contact|escrev|mand)\w+ mais|\bpar(?:e|em) de (?:me )?(?:enviar|"
        r"escrever|mandar|contact)"
    ),
    subject_example="Resposta automática: Pergunta",
    away_example="Estou de férias até segunda-feira. Em caso de urgência contacte a receção.",
    gone_example="A Ana já não trabalha na Example.",
    stop_examples=("Descadastrar", "Por favor remova-me da sua lista."),
)
ITALIAN = Language(
    code="it",
    name="Italian",
    common="il la di non per sono che del al della vi un una è mi dalla",
    away_subject=(
        r"risposta automatica|fuori (?:sede|ufficio)|assen(?:te|za)|in ferie|ferie|messaggio automatico|"
        r"cambio (?:indirizzo|e-?mail)|conferma di ricezione"
    ),
    absent=(
        r"\b(?:sono|sarò|siamo|saremo)\b.{0,40}(?:assent[ei]|fuori (?:ufficio|sede|dall'ufficio)|in (?:ferie|"
        r"vacanza|malattia|maternità|congedo|trasferta|viaggio)|chiusi)|(?:gli|i nostri) uffici (?:sono|"
        r"saranno|rimarranno) chiusi|non sarò (?:in ufficio|disponibile|raggiungibile)"
    ),
    limits=r"accesso (?:limitato|saltuario) all[ae]|non (?:avrò|ho) (?:\w+ )?accesso",
    cover=(
        r"(?:per|in caso di) (?:urgenze|urgenza|questioni urgenti|comunicazioni urgenti|necessità)|(?:durante|"
        r"in) (?:la )?mia assenza"
    ),
    received=(
        r"(?:abbiamo|ho) ricevuto (?:la )?(?:sua|tua|vostra) (?:e-?mail|richiesta|mail)|(?:sua|tua|vostra) "
        r"(?:e-?mail|mail|richiesta) è stata (?:ricevuta|inoltrata|presa)"
    ),
    machine=(
        r"quest[ao] è un[a']? ?(?:messaggio|risposta|e-?mail) automatic|(?:messaggio|risposta|e-?mail) "
        r"(?:generat|inviat)[oa] automaticamente|non rispondere a quest"
    ),
    gone=(
        r"non (?:lavor[oa]|fa|faccio|è|sono) più\b|ha lasciato (?:l'azienda|la società|il gruppo)|ho lasciato "
        r"(?:l'azienda|la)|(?:in|è andat[oa] in|sono andat[oa] in) pensione|non è più (?:attiv|in uso|valid|"
        r"in servizio|operativ|presidiat)|(?:indirizzo|casella|account)\b.{0,40}(?:non è più|è (?:cambiat|"
        r"stat[oa] (?:disattivat|chius|dismess|sostituit)))|(?:il )?mio nuovo indirizzo"
    ),
    stop_words=(
        "disiscrivimi|cancellami|(?:annulla|cancella) iscrizione|cancellatemi|disiscrizione|rimuovimi|"
        "rimuovetemi|disiscrivi(?:temi)?|cancellazione|basta"
    ),
    stop=(
        r"\b(?:cancell?a(?:te)?mi|rimuov(?:imi|etemi|ete il mio|ere il mio)|disiscriv\w+mi|toglie(?:te)?mi|"
        r"cancellare il mio|eliminatemi)\b|\bnon (?:contatta|scriv|invia|manda)\w*(?:mi|temi|ci)? più|\bnon "
        r"(?:desidero|voglio|intendo|vogliamo) (?:più )?(?:ricevere|essere contattat)|\bsmett(?:ete|etela|"
        r"ila) di\b"
    ),
    subject_example="Risposta automatica: Domanda",
    away_example="Sono fuori ufficio fino a lunedì. Per urgenze contattare la segreteria.",
    gone_example="La signora Lee non lavora più presso la nostra azienda.",
    stop_examples=("Cancellami", "Vi prego di rimuovere il mio indirizzo."),
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

WESTERN = (ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, DUTCH)
