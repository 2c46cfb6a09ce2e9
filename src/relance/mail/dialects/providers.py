"""The mailbox providers: what their pages for postmasters say that their refusals mean."""

from relance.mail.bounce_taxonomy import BounceReason as Reason
from relance.mail.dialects.row import rows

_GOOGLE = "support.google.com/a/answer/3726730"
_EXCHANGE = "learn.microsoft.com, non-delivery reports in Exchange Online"
_OUTLOOK = "sendersupport.olc.protection.outlook.com, troubleshooting"
_YAHOO = "senders.yahooinc.com/smtp-error-codes"
_APPLE = "support.apple.com/102322, iCloud Mail postmaster"

PROVIDERS = (
    *rows(
        "Google",
        _GOOGLE,
        (
            Reason.RECIPIENT_LIMIT,
            r"user you are trying to contact is receiving mail (?:too quickly|at a rate)",
            (
                "450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional "
                "messages"
            ),
        ),
        (
            Reason.MAILBOX_DISABLED,
            r"account that you tried to reach is (?:disabled|inactive)",
            "550 5.2.1 The email account that you tried to reach is disabled.",
        ),
        (
            Reason.MAILBOX_FULL,
            r"recipient's inbox is (?:out of storage|full)|account that you tried to reach is over quota",
            "552 5.2.2 The recipient's inbox is out of storage space.",
        ),
        (
            Reason.UNKNOWN_USER,
            r"account that you tried to reach does not exist|address couldn't be found,? or is unable to receive",
            "550 5.1.1 The email account that you tried to reach does not exist. Please try double-checking",
        ),
        (
            Reason.UNKNOWN_USER,
            (
                r"l'adresse est introuvable|encontrado la dirección|endereço não foi encontrado|"
                r"l'indirizzo non è stato trovato|adresse nicht gefunden|adres niet gevonden|adressen (?:hittades|"
                r"blev|ble) (?:inte|ikke)|nie znaleziono adresu|адрес не найден|アドレスが見つから|"
                r"找不到(?:该|該)?地址|주소를 찾을 수 없"
            ),
            "Votre message n'est pas parvenu à ann@example.com, car l'adresse est introuvable ou ne peut pas recevoir",
        ),
        (
            Reason.QUOTA,
            r"5\.4\.5 daily|daily user sending (?:limit|quota) exceeded",
            "550 5.4.5 Daily user sending limit exceeded. For more information on Gmail sending limits",
        ),
        (
            Reason.AUTHENTICATION,
            r"[45]\.7\.(?:26|27|30|32|40)\b",
            "550-5.7.26 This mail has been blocked because the sender is unauthenticated.",
        ),
        (
            Reason.REVERSE_DNS,
            r"[45]\.7\.(?:25|23) .{0,80}\bptr\b",
            "550-5.7.25 The IP address sending this message does not have a PTR record setup",
        ),
        (
            Reason.BLOCKED,
            r"very low reputation of the sending (?:domain|ip)",
            (
                "550 5.7.1 Our system has detected that this message is likely suspicious due to the very low "
                "reputation of the sending domain."
            ),
        ),
        (
            Reason.RATE_LIMITED,
            r"unusual rate of (?:unsolicited )?mail originating from your",
            "421-4.7.28 Gmail has detected an unusual rate of unsolicited mail originating from your IP address",
        ),
        (
            Reason.SPAM,
            r"message is (?:likely unsolicited|likely suspicious)",
            "550-5.7.1 Gmail has detected that this message is likely unsolicited mail.",
        ),
        (
            Reason.CONTENT,
            r"content presents a potential security issue",
            "552-5.7.0 This message was blocked because its content presents a potential security issue.",
        ),
        (
            Reason.UNKNOWN_HOST,
            r"because the domain @?[^ ]{0,80} ?couldn't be found|lookup of [^ ]{1,255} responded with code nxdomain",
            "DNS Error: DNS type 'mx' lookup of nowhere.example responded with code NXDOMAIN",
        ),
        (
            Reason.SYSTEM,
            r"lookup of [^ ]{1,255} responded with code (?:servfail|refused)",
            "DNS Error: DNS type 'mx' lookup of example.org responded with code SERVFAIL",
        ),
        (
            Reason.NETWORK,
            r"recipient server did not accept our requests to connect",
            "The recipient server did not accept our requests to connect. Learn more",
        ),
    ),
    *rows(
        "Microsoft 365, Exchange",
        _EXCHANGE,
        (
            Reason.RECIPIENT_LIMIT,
            r"5\.2\.12[012]\b|message receive limit exceeded|recipient's per hour",
            "550 5.2.121 RESOLVER.RST.RecipientLimit; recipient's per hour message receive limit exceeded",
        ),
        (
            Reason.QUOTA,
            r"5\.1\.90\b|5\.7\.705\b|exceeded (?:threshold|the recipient rate limit)|senderlimitexceeded",
            "550 5.7.705 Access denied, tenant has exceeded threshold.",
        ),
        (
            Reason.SENDER_REJECTED,
            r"5\.7\.(?:501|502|503|508|750|60)\b|5\.1\.8\b|bad outbound sender|sendasdenied",
            "550 5.1.8 Access denied, bad outbound sender AS(42004)",
        ),
        (
            Reason.AUTHENTICATION,
            r"5\.7\.(?:509|515|520)\b|5\.7\.57\b",
            "550 5.7.509 Access denied, sending domain example.com does not pass DMARC verification",
        ),
        (
            Reason.REVERSE_DNS,
            r"4\.7\.25\b|must have (?:a )?reverse dns record",
            "450 4.7.25 Service unavailable, sending IPv6 address [2001:db8::1] must have reverse DNS record",
        ),
        (
            Reason.BLOCKED,
            r"[45]\.7\.(?:606|607|608|609|61\d|62\d|63\d|64[0-9]|511|512|7[0-4]\d|708)\b",
            "550 5.7.606 Access denied, banned sending IP [192.0.2.1].",
        ),
        (
            Reason.RATE_LIMITED,
            r"4\.7\.(?:500|65\d|8[5-9]\d)\b|server busy",
            "451 4.7.500 Server busy. Please try again later from [192.0.2.1]. (S77719)",
        ),
        (
            Reason.FILTERED,
            (
                r"5\.7\.(?:12|124|133|134|135|136|129)\b|resolver\.rst\.(?:notauthorized|sendernotauthenticated|"
                r"authrequired)|notauthenticatedforgroup|not allowed (?:to send )?to (?:this|the) (?:group|"
                r"distribution)"
            ),
            "550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required",
        ),
        (
            Reason.UNKNOWN_USER,
            (
                r"resolver\.adr\.(?:ex)?recip|5\.1\.10\b(?!.{0,80}null ?mx)|5\.4\.1 .{0,20}recipient address "
                r"rejected: access denied|recipientnotfound|000c05a6"
            ),
            "550 5.4.1 Recipient address rejected: Access denied. AS(201806281)",
        ),
        (
            Reason.UNKNOWN_HOST,
            r"5\.4\.310\b|smtpsend\.dns\.nonexistentdomain|dns domain .{1,255}does not exist",
            "550 5.4.310 DNS domain nowhere.example does not exist [Message=InfoDomainNonexistent]",
        ),
        (
            Reason.LOOP,
            r"resolver\.fwd\.loop|5\.4\.(?:14|6)\b.{0,30}(?:hop|loop)|smtpsend\.dns\.mxloopback|routing loop detected",
            "554 5.4.14 Hop count exceeded - possible mail loop ATTR34",
        ),
        (
            Reason.NETWORK,
            r"[45]\.4\.(?:312|315|317|318)\b|cannot connect to remote server",
            "550 5.4.317 Message expired, cannot connect to remote server",
        ),
        (
            Reason.EXPIRED,
            r"[45]\.4\.(?:300|316)\b|queue\.expired|message expired",
            "550 5.4.300 Message expired -> 421 4.4.2 Connection dropped",
        ),
        (
            Reason.TOO_BIG,
            r"resolver\.rst\.(?:recip|send)?sizelimit|resolver\.rst\.recipsize",
            "550 5.2.3 RESOLVER.RST.RecipSizeLimit; message too large for this recipient",
        ),
        (
            Reason.MAILBOX_FULL,
            r"quotaexceeded(?:exception)?|storedrv\.deliver.{0,40}mailbox full",
            (
                "554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException.MapiExceptionShutoffQuotaE"
                "xceeded"
            ),
        ),
        (
            Reason.MAILBOX_DISABLED,
            r"storedrv\.deliver.{0,40}(?:disabled|mailboxdisabled)|accountdisabled",
            "432 4.3.2 STOREDRV.Deliver; recipient AccountDisabled",
        ),
        (
            Reason.RELAY_DENIED,
            r"tenantattribution|5\.7\.64\b|unable to relay",
            "550 5.7.64 TenantAttribution; Relay Access Denied",
        ),
    ),
    *rows(
        "Outlook.com, Hotmail",
        _OUTLOOK,
        (
            Reason.BLOCKED,
            (
                r"\((?:s3140|s3150|s844|s775|as\(48\d+\))\)|\b(?:ou|dy|sc)-00\d\b|part of their network is on our "
                r"block list"
            ),
            "550 SC-001 (COL004-MC4F10) Unfortunately, messages from 192.0.2.1 weren't sent.",
        ),
        (
            Reason.RATE_LIMITED,
            r"\brp-00\d\b",
            "421 RP-001 (BAY004-MC1F) The mail server IP connecting exceeded the rate",
        ),
        (Reason.SENDER_REJECTED, r"\bdns-00\d\b", "550 DNS-001 The sending domain cannot be resolved"),
    ),
    *rows(
        "Yahoo",
        _YAHOO,
        (
            Reason.BLOCKED,
            r"\[(?:tss?\d{1,2}|bl\d{1,2}|gl\d{1,2})\]",
            "421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to user complaints - 4.16.55.1",
        ),
        (
            Reason.AUTHENTICATION,
            r"5\.7\.9 message not accepted for policy reasons|\[ph0\d\]",
            "554 5.7.9 Message not accepted for policy reasons. See https://senders.yahooinc.com/error-codes",
        ),
        (
            Reason.UNKNOWN_USER,
            (
                r"\bdd (?:requested mail action aborted, mailbox not found|this user doesn't have an?)|this user "
                r"doesn't have an? [a-z.]{2,40} account"
            ),
            "554 delivery error: dd This user doesn't have a yahoo.com account (nobody@yahoo.com) [0]",
        ),
        (
            Reason.MAILBOX_DISABLED,
            r"account has been disabled or discontinued|\bdd not a valid recipient",
            "554 delivery error: dd This account has been disabled or discontinued [#102].",
        ),
        (
            Reason.RATE_LIMITED,
            r"message temporarily deferred - ?[\[\d]",
            "451 Message temporarily deferred - [250]",
        ),
    ),
    *rows(
        "AOL",
        "postmaster.aol.com, SMTP error codes",
        (Reason.REVERSE_DNS, r"\(dns:[a-z0-9]+\)", "554 (DNS:NR) https://postmaster-us.info.aol.com/error-codes"),
        (Reason.RATE_LIMITED, r"\((?:rly|con|dyn):t\d\)", "421 4.7.1 (DYN:T1) https://postmaster.example/421dynt1"),
        (
            Reason.BLOCKED,
            r"\((?:rly|con|hvu|dyn|rtr|bl)\s?:[a-z0-9]+\)",
            "554 5.7.1 (RLY:B1) https://postmaster.aol.com/errors/554rlyb1.html",
        ),
        (
            Reason.FILTERED,
            r"is not accepting mail from (?:this|the) sender",
            "550 5.7.1 user IS NOT ACCEPTING MAIL FROM THIS SENDER",
        ),
    ),
    *rows(
        "iCloud",
        _APPLE,
        (Reason.BLOCKED, r"\[hm0\d\]", "554 5.7.1 [HM08] Message rejected due to local policy."),
        (Reason.SPAM, r"\[cs0\d\]", "550 5.7.1 [CS01] Message rejected due to local policy."),
    ),
)
