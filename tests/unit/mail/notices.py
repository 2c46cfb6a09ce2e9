"""Notices that nobody has `ann@example.com`, as servers word them in the languages that they speak: sender, subject, text."""

GMAIL = "Mail Delivery Subsystem <mailer-daemon@googlemail.com>"
OUTLOOK = "Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@example.com>"
NOTICES = {
    "gmail en": (
        GMAIL,
        "Delivery Status Notification (Failure)",
        "** Address not found **\n\nYour message wasn't delivered to ann@example.com because the address couldn't be found, or is unable to receive mail.\n\nThe response from the remote server was:\n550 5.1.1 The email account that you tried to reach does not exist.",
    ),
    "gmail de": (
        GMAIL,
        "Delivery Status Notification (Failure)",
        "** Adresse nicht gefunden **\n\nIhre Nachricht wurde nicht an ann@example.com zugestellt, weil die Adresse nicht gefunden wurde oder keine E-Mails empfangen kann.\n\nAntwort des Remote-Servers:\n550 5.1.1 User unknown",
    ),
    "gmail fr": (
        GMAIL,
        "Delivery Status Notification (Failure)",
        "** Adresse introuvable **\n\nVotre message n'est pas parvenu à ann@example.com, car l'adresse est introuvable ou ne peut pas recevoir d'e-mails.",
    ),
    "gmail es": (
        GMAIL,
        "Delivery Status Notification (Failure)",
        "** No se ha encontrado la dirección **\n\nTu mensaje no se ha entregado a ann@example.com porque no se ha encontrado la dirección o esta no puede recibir correos.",
    ),
    "gmail pt": (
        GMAIL,
        "Delivery Status Notification (Failure)",
        "** Endereço não encontrado **\n\nSua mensagem não foi entregue a ann@example.com porque o endereço não foi encontrado ou não pode receber e-mails.",
    ),
    "gmail ja": (
        GMAIL,
        "Delivery Status Notification (Failure)",
        "** アドレス不明 **\n\nann@example.com にメールを配信できませんでした。アドレスが見つからないか、メールを受信できません。",
    ),
    "o365 en": (
        OUTLOOK,
        "Undeliverable: Question",
        "Your message to ann@example.com couldn't be delivered.\n\nann wasn't found at example.com.\n\nRemote Server returned '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup'",
    ),
    "o365 de": (
        OUTLOOK,
        "Unzustellbar: Frage",
        "Ihre Nachricht an ann@example.com konnte nicht zugestellt werden.\n\nann wurde in example.com nicht gefunden.\n\n550 5.1.10 RESOLVER.ADR.RecipientNotFound",
    ),
    "o365 fr": (
        OUTLOOK,
        "Non remis : Question",
        "Impossible de remettre votre message à ann@example.com.\n\nann est introuvable sur example.com.\n\n550 5.1.10 RESOLVER.ADR.RecipientNotFound",
    ),
    "o365 es": (
        OUTLOOK,
        "No se puede entregar: Pregunta",
        "No se pudo entregar el mensaje a ann@example.com.\n\nNo se encontró ann en example.com.\n\n550 5.1.10 RESOLVER.ADR.RecipientNotFound",
    ),
    "o365 it": (
        OUTLOOK,
        "Non recapitabile: Domanda",
        "Impossibile recapitare il messaggio a ann@example.com.\n\n550 5.1.10 RESOLVER.ADR.RecipientNotFound",
    ),
    "o365 nl": (
        OUTLOOK,
        "Onbestelbaar: Vraag",
        "Uw bericht aan ann@example.com kan niet worden bezorgd.\n\n550 5.1.10 RESOLVER.ADR.RecipientNotFound",
    ),
    "o365 sv": (
        OUTLOOK,
        "Kan inte levereras: Fråga",
        "Ditt meddelande till ann@example.com kunde inte levereras.\n\n550 5.1.10 RESOLVER.ADR.RecipientNotFound",
    ),
    "o365 pl": (
        OUTLOOK,
        "Niedostarczalne: Pytanie",
        "Nie można dostarczyć wiadomości do ann@example.com.\n\n550 5.1.10 RESOLVER.ADR.RecipientNotFound",
    ),
    "o365 ja": (
        OUTLOOK,
        "配信不能: 質問",
        "ann@example.com へのメッセージを配信できませんでした。\n\n550 5.1.10 RESOLVER.ADR.RecipientNotFound",
    ),
    "o365 pt": (
        OUTLOOK,
        "Não é possível entregar: Pergunta",
        "Não foi possível entregar sua mensagem para ann@example.com.\n\n550 5.1.10 RESOLVER.ADR.RecipientNotFound",
    ),
    "o365 da": (
        OUTLOOK,
        "Kan ikke leveres: Spørgsmål",
        "Meddelelsen til ann@example.com kunne ikke leveres.\n\n550 5.1.10 RESOLVER.ADR.RecipientNotFound",
    ),
    "o365 cs": (
        OUTLOOK,
        "Nedoručitelná zpráva: Dotaz",
        "Vaši zprávu pro ann@example.com nebylo možné doručit.\n\n550 5.1.10 RESOLVER.ADR.RecipientNotFound",
    ),
    "o365 ru": (
        OUTLOOK,
        "Не удалось доставить: Вопрос",
        "Не удалось доставить ваше сообщение пользователю ann@example.com.\n\n550 5.1.10 RESOLVER.ADR.RecipientNotFound",
    ),
    "o365 zh": (
        OUTLOOK,
        "未送达: 问题",
        "无法将您的邮件传递给 ann@example.com。\n\n550 5.1.10 RESOLVER.ADR.RecipientNotFound",
    ),
    "o365 ko": (
        OUTLOOK,
        "배달되지 않음: 질문",
        "ann@example.com에 메시지를 배달할 수 없습니다.\n\n550 5.1.10 RESOLVER.ADR.RecipientNotFound",
    ),
    "o365 tr": (
        OUTLOOK,
        "Teslim Edilemedi: Soru",
        "ann@example.com alıcısına gönderdiğiniz ileti teslim edilemedi.\n\n550 5.1.10 RESOLVER.ADR.RecipientNotFound",
    ),
    "o365 fi": (
        OUTLOOK,
        "Ei voida toimittaa: Kysymys",
        "Viestiäsi vastaanottajalle ann@example.com ei voitu toimittaa.\n\n550 5.1.10 RESOLVER.ADR.RecipientNotFound",
    ),
    "o365 hu": (
        OUTLOOK,
        "Kézbesíthetetlen: Kérdés",
        "Az ann@example.com címzettnek küldött üzenet nem kézbesíthető.\n\n550 5.1.10 RESOLVER.ADR.RecipientNotFound",
    ),
    "exim": (
        "Mail Delivery System <Mailer-Daemon@mx.example.com>",
        "Mail delivery failed: returning message to sender",
        "This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to one or more of its\nrecipients. This is a permanent error. The following address(es) failed:\n\n  ann@example.com\n    host mx.example.org [192.0.2.1]\n    SMTP error from remote mail server after RCPT TO:<ann@example.com>:\n    550 5.1.1 User unknown\n\n------ This is a copy of the message, including all the headers. ------\n\nReturn-path: <bo@example.net>\nSubject: x",
    ),
    "postfix": (
        "MAILER-DAEMON@mx.example.com (Mail Delivery System)",
        "Undelivered Mail Returned to Sender",
        "This is the mail system at host mx.example.com.\n\nI'm sorry to have to inform you that your message could not\nbe delivered to one or more recipients. It's attached below.\n\n                   The mail system\n\n<ann@example.com>: host mx.example.org[192.0.2.1] said: 550 5.1.1\n    <ann@example.com>: Recipient address rejected: User unknown in local recipient table (in reply to\n    RCPT TO command)",
    ),
    "qmail": (
        "MAILER-DAEMON@mx.example.com",
        "failure notice",
        "Hi. This is the qmail-send program at mx.example.com.\nI'm afraid I wasn't able to deliver your message to the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.\n\n<ann@example.com>:\n192.0.2.1 does not like recipient.\nRemote host said: 550 5.1.1 User unknown\nGiving up on 192.0.2.1.",
    ),
    "sendmail": (
        "Mail Delivery Subsystem <MAILER-DAEMON@mx.example.com>",
        "Returned mail: see transcript for details",
        "The original message was received at Mon, 1 Jul 2026 09:00:00 GMT\nfrom localhost\n\n   ----- The following addresses had permanent fatal errors -----\n<ann@example.com>\n    (reason: 550 5.1.1 <ann@example.com>... User unknown)\n\n   ----- Transcript of session follows -----\n... while talking to mx.example.org.:\n>>> DATA\n<<< 550 5.1.1 <ann@example.com>... User unknown",
    ),
    "yahoo": (
        "MAILER-DAEMON@yahoo.example",
        "Failure Notice",
        "Sorry, we were unable to deliver your message to the following address.\n\n<ann@example.com>:\n550: 5.1.1 User unknown\n\n--- Below this line is a copy of the message.",
    ),
    "gmx": (
        "GMX Mailer Daemon <mailer-daemon@gmx.example>",
        "Mail delivery failed: returning message to sender",
        "This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to one or more of\nits recipients. This is a permanent error. The following address\nfailed:\n\nann@example.com:\nSMTP error from remote server for RCPT TO command, host: mx.example.org (192.0.2.1) reason: 550 5.1.1 User unknown",
    ),
    "domino": (
        "Postmaster <postmaster@notes.example.com>",
        "DELIVERY FAILURE: User ann (ann@example.com) not listed in Domino Directory",
        "Your message\n\n  Subject: Question\n\nwas not delivered to:\n\n  ann@example.com\n\nbecause:\n\n  User ann (ann@example.com) not listed in Domino Directory",
    ),
    "exchange 2003 de": (
        "System Administrator <postmaster@example.com>",
        "Unzustellbar: Frage",
        "Ihre Nachricht\n\n  An:      ann@example.com\n  Betreff: Frage\n  Gesendet: 01.07.2026 09:00\n\nkonnte folgende(n) Empfänger nicht erreichen:\n\n'ann@example.com' am 01.07.2026 09:01\n            Das E-Mail-Konto ist nicht in der Organisation vorhanden, an die diese Nachricht gesendet wurde.\n            <mx.example.com #5.1.1>",
    ),
    "zoho": (
        "mailer-daemon@mail.zoho.example",
        "Undelivered Mail Returned to Sender",
        "This message was created automatically by mail delivery software.\n A message that you sent could not be delivered to one or more of its recipients. This is a permanent error.\n\nann@example.com, ERROR CODE :550 - 5.1.1 User unknown",
    ),
    "icloud": (
        "Mail Delivery System <MAILER-DAEMON@icloud.example>",
        "Undeliverable: Question",
        "Your message could not be delivered to the following recipients:\n\nann@example.com\n\nReason: Remote SMTP server has rejected address\nDiagnostic code: smtp;550 5.1.1 User unknown",
    ),
    "groupwise": (
        "Postmaster@example.com",
        "Message status - undeliverable",
        "The message that you sent was undeliverable to the following:\n\tann@example.com (550 5.1.1 User unknown)",
    ),
    "orange fr": (
        "MAILER-DAEMON@orange.example",
        "Echec de distribution",
        "Votre message n'a pas pu être remis au destinataire suivant :\n\n<ann@example.com>: 550 5.1.1 Adresse d au moins un destinataire invalide",
    ),
    "libero it": (
        "MAILER-DAEMON@libero.example",
        "Mancata consegna",
        "Il messaggio non è stato consegnato al seguente destinatario:\n\n<ann@example.com>: 550 5.1.1 utente sconosciuto",
    ),
    "tonline": (
        "Mail Delivery System <mailer-daemon@t-online.example>",
        "Nachricht nicht zustellbar",
        "Ihre E-Mail konnte nicht zugestellt werden.\n\nann@example.com: 550 5.1.1 unknown user",
    ),
    "qq": (
        "PostMaster <PostMaster@qq.example>",
        "来自qq.com的退信",
        "您的邮件被退回到您的收件箱。\n收件人:ann@example.com\n退信原因:收件人邮件地址(ann@example.com)不存在,邮件无法送达。\nhost mx.example.com said: 550 Mailbox not found",
    ),
    "163": (
        "Postmaster@163.example",
        "系统退信",
        "很抱歉,您的邮件被退回。\n收件人地址 ann@example.com 不存在\n550 User not found: ann@example.com",
    ),
    "yandex": (
        "mailer-daemon@yandex.example",
        "Недоставленное сообщение",
        "Это письмо отправлено почтовым сервером yandex.ru.\n\nК сожалению, мы вынуждены сообщить Вам о том, что Ваше письмо не может быть отправлено одному или нескольким адресатам.\n\n<ann@example.com>: host mx.example.com said: 550 5.1.1 User unknown",
    ),
    "naver": (
        "mailer-daemon@naver.example",
        "[배달실패] 메일 전송 실패",
        "아래 수신자에게 메일이 전송되지 못했습니다.\nann@example.com\n550 5.1.1 User unknown",
    ),
    "docomo-like": (
        "MAILER-DAEMON@mx.example.jp",
        "Undelivered Mail",
        "宛先にメールを送信できませんでした。\n<ann@example.com>: 550 5.1.1 User unknown",
    ),
    "apple server": (
        "postmaster@mac.example",
        "Delivery Failure",
        "The following message to <ann@example.com> was undeliverable.\nThe reason for the problem:\n5.1.0 - Unknown address error 550-'5.1.1 User unknown'",
    ),
}
