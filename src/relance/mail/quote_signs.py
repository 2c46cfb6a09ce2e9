"""The words with which mail clients introduce what they quote, in the languages that they speak.

All patterns are matched against single lines or a few joined ones, in any case; gaps are bounded.
"""

# Verbs that end an attribution line: "On 3 May Ann <a@b> wrote:".
WROTE = (
    "wrote|writes|said|a écrit|écrivait|schrieb(?: am)?|schrieb[^:]{0,80}|hat[^:]{0,60}geschrieben|escribió|"
    "escribi[óo]|ha escrito|va escriure|"
    "ha scritto|scrive|schreef|heeft[^:]{0,60}geschreven|geschreven|skrev(?: följande)?|kirjoitti|"
    "napisał(?:\\(a\\)|a|\\(-a\\))?|pisze|escreveu|"
    "написал(?:\\(а\\)|а)?|пишет|писал(?:\\(а\\)|а)?|написав(?:\\(ла\\)|ла)?|пише|написа|έγραψε|yazdı|"
    "şunu yazdı|napsal(?:\\(a\\)|a)?|napísal(?:\\(a\\)|a)?|"
    "írta|ezt írta[^:]{0,80}|a scris|viết|đã viết|rašė|parašė|kirjutas|rakstīja|napisao(?:/la|\\(la\\))?|"
    "napisala|napisa(?:o|la) je|je napisa[ol](?:/la|\\(-a\\))?|menulis|"
    "כתב(?:/ה)?|كتب(?:ت)?|skrifaði|tarafından"
)
# The same in scripts that put no space before a verb.
WROTE_UNSPACED = "写道|寫道|写到|のメール|さんは書きました|님이 작성|작성|เขียน(?:ว่า)?"
# Words that open one.
OPENERS = (
    "on|le|am|el|il|in data|op|den|em|w dniu|dnia|dne|dňa|v|na|pe|în|în data|la|vào|vào lúc|at|"
    "ma|tir|man|ons|tor|fre|lør|søn|lör|sön|mån|tis|ma|ti|ke|to|pe|la|su|pada|στις|в|у|от|от:|am|um|von|from|"
    "data|tarihinde|a|el día|dia|no dia"
)
# Lines that part the reply from a copied original.
ORIGINAL_MESSAGE = (
    "original message|reply message|original mail|forwarded message|begin forwarded message|"
    "ursprüngliche nachricht|originalnachricht|original-nachricht|"
    "weitergeleitete nachricht|anfang der weitergeleiteten nachricht|message d'origine|message original|"
    "message transféré|message initial|"
    "début du message (?:réexpédié|transféré)|mensaje original|mensaje reenviado|"
    "inicio del mensaje reenviado|messaggio originale|messaggio inoltrato|"
    "inizio messaggio inoltrato|inizio del messaggio inoltrato|oorspronkelijk bericht|"
    "oorspronkelijke bericht|doorgestuurd bericht|begin doorgestuurd bericht|"
    "ursprungligt meddelande|originalmeddelande|vidarebefordrat meddelande|vidarebefordrat brev|"
    "opprinnelig melding|videresendt melding|oprindelig besked|"
    "oprindelig meddelelse|original meddelelse|videresendt besked|start på videresendt besked|"
    "alkuperäinen viesti|välitetty viesti|mensagem original|"
    "mensagem (?:reencaminhada|encaminhada)|início da mensagem reencaminhada|wiadomość oryginalna|"
    "oryginalna wiadomość|treść oryginalnej wiadomości|"
    "wiadomość przekazana|původní zpráva|přeposlaná zpráva|pôvodná správa|eredeti üzenet|továbbított üzenet|"
    "mesaj original|mesajul original|"
    "исходное сообщение|оригинальное сообщение|пересылаемое сообщение|пересланное сообщение|"
    "перенаправленное сообщение|початкове повідомлення|"
    "αρχικό μήνυμα|προωθημένο μήνυμα|orijinal mesaj|iletilen mesaj|özgün ileti|原始邮件|原始郵件|原邮件|"
    "转发邮件|转发的邮件|"
    "轉寄的郵件|"
    "元のメッセージ|元のメール|転送されたメッセージ|원본 메시지|원본 메일|전달된 메시지|הודעה מקורית|"
    "הודעה שהועברה|الرسالة الأصلية|thư gốc|"
    "pesan asli|originala|izvorna poruka|originalno sporočilo"
)
# Labels of the header block that Outlook and others paste above the original.
FROM_LABELS = (
    "from|von|de|da|van|fra|från|lähettäjä|od|nadawca|odesílatel|odosielateľ|feladó|от|від|gönderen|kimden|"
    "expeditor|de la|από|发件人|寄件者|寄件人|差出人|送信者|보낸 사람|발신|"
    "מאת|من|expéditeur|remitente|mittente|afzender|remetente|pošiljatelj|từ|dari|saatja|nuo|no|avsändare|"
    "afsender|message du|message de"
)
OTHER_LABELS = (
    "sent|date|to|cc|bcc|subject|reply-to|gesendet|datum|an|kopie|betreff|bezug|envoyé(?: le)?|date d'envoi|"
    "à|a|copie(?: à)?|objet|sujet|enviado(?: el| em)?|enviada(?: em)?|"
    "fecha|para|asunto|assunto|data|inviato|oggetto|per conoscenza|verzonden|aan|onderwerp|skickat|till|"
    "kopia|ämne|ärende|sendt|dato|til|kopi|emne|"
    "lähetetty|päivämäärä|päiväys|vastaanottaja|kopio|aihe|wysłano|do|dw|udw|temat|komu|odesláno|předmět|"
    "predmet|odoslané|kópia|címzett|elküldve|tárgy|másolatot kap|dátum|"
    "отправлено|дата|кому|копия|тема|надіслано|копія|gönderildi|gönderilme|tarih|kime|bilgi|konu|trimis|"
    "către|subiect|στάλθηκε|ημερομηνία|προς|κοιν|θέμα|"
    "发送时间|发送日期|日期|时间|收件人|抄送|主题|寄件日期|傳送日期|收件者|副本|主旨|送信日時|日付|宛先|件名|"
    "보낸 날짜|날짜|받는 사람|참조|제목|"
    "נשלח|תאריך|אל|עותק|נושא|التاريخ|إلى|نسخة|الموضوع|ngày|tới|chủ đề|tanggal|kepada|subjek|prioridad|"
    "importance|priority|wichtigkeit"
)
# What phones and apps add below; what follows is not written by the person either.
SENT_FROM = (
    "sent from (?:my |mail for|outlook|yahoo|proton|samsung|typeapp|blue|gmail|the |an? |windows|mobile|nine|"
    "spike|hey|superhuman|front|aol|iphone|ipad|android)|"
    "get outlook for|sent (?:with|via|using) |sent using|download outlook|get the outlook|get bluemail|"
    "gesendet (?:von|mit)|von meinem .{0,40} gesendet|diese nachricht wurde von meinem|"
    "envoyé (?:de(?:puis)?|à partir|avec) |télécharger outlook|obtenez? outlook|obtenir outlook|"
    "téléchargez? outlook|"
    "enviado (?:desde|do|de|a partir)|obtener outlook|obter o outlook|enviada do|"
    "inviato da|scarica outlook|ottieni outlook|verzonden (?:vanaf|met|vanuit)|verstuurd vanaf|"
    "download outlook|outlook (?:voor|für|pour|para|per|for) |"
    "skickat från|skickades från|hämta outlook|sendt fra|hent outlook|lähetetty |hanki outlook|"
    "wysłan[eo] z |pobierz program outlook|odesláno z|odoslané z|elküldve|küldve |отправлено (?:с|из)|"
    "надіслано |iphone'umdan gönderildi|.{0,30}dan gönderildi|"
    "发自我的|從我的|从我的|傳送自|来自我的|iphoneから送信|.{0,20}から送信|나의 .{0,20}에서 보냄|"
    ".{0,20}에서 보냄|נשלח מ|أرسلت من|τάλθηκε από|"
    "trimis de pe|gửi từ"
)
# Closings that begin a block of name, title and numbers.
CLOSINGS = (
    "(?:best|kind|kindest|warm|warmest|with (?:best|kind)|many) regards|regards|sincerely(?: yours)?|"
    "yours (?:sincerely|faithfully|truly)|cordially|"
    "mit (?:freundlichen|besten|herzlichen|vielen) grü(?:ß|ss)en|freundliche grü(?:ß|ss)e|(?:viele|beste|"
    "liebe|herzliche|schöne) grü(?:ß|ss)e|mfg|"
    "(?:bien |très )?cordialement|bien à vous|sincères salutations|meilleures salutations|"
    "saludos(?: cordiales)?|(?:un )?cordial saludo|atentamente|atenciosamente|cumprimentos|(?:cordiali|"
    "distinti) saluti|"
    "met vriendelijke groet(?:en)?|vriendelijke groet(?:en)?|mvg|med vänlig(?:a)? hälsning(?:ar)?|"
    "vänliga hälsningar|med venlig hilsen|mvh|med vennlig hilsen|"
    "ystävällisin terveisin|z poważaniem|pozdrawiam|s pozdravem|üdvözlettel|с уважением|з повагою|"
    "saygılarımla|此致|敬具"
)
