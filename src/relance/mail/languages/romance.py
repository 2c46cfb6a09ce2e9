"""French, Spanish, Portuguese and Italian."""

from relance.mail.languages.language import Language

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

ROMANCE = (FRENCH, SPANISH, PORTUGUESE, ITALIAN)
