"""Access providers and regional ones, by the codes that their postmaster pages list."""

from relance.mail.bounce_taxonomy import BounceReason as Reason
from relance.mail.dialects.row import rows

ACCESS = (
    *rows(
        "Comcast",
        "postmaster.comcast.net, mail error codes",
        (Reason.BLOCKED, r"\bbl0\d{5}\b", "554 resimta-po.example comcast 192.0.2.1 Comcast block for spam. BL000000"),
        (Reason.RATE_LIMITED, r"\brl0\d{5}\b", "421 4.1.0 192.0.2.1 Throttled - try again later. RL000003"),
        (Reason.AUTHENTICATION, r"\bdm0\d{5}\b", "550 5.2.0 Message rejected due to DMARC. DM000001"),
    ),
    *rows(
        "Cox",
        "cox.com, email error codes",
        (Reason.BLOCKED, r"\bcxbl\b", "554 cxr.example cox 192.0.2.1 rejected - no rDNS or blocked. CXBL"),
        (Reason.REVERSE_DNS, r"\bcxdns\b", "554 cxr.example cox rejected - no rDNS. CXDNS"),
        (Reason.RATE_LIMITED, r"\bcx(?:mxrt|cncm|thrt)\b", "452 cxr.example cox Too many recipients. CXMXRT"),
        (Reason.SENDER_REJECTED, r"\bcxsndr\b", "550 5.1.0 sender rejected. Refer to Error Codes section. CXSNDR"),
    ),
    *rows(
        "AT&T",
        "att.net, postmaster",
        (
            Reason.BLOCKED,
            r"blocked by [^ ]{0,40}mailrelay\.att\.net|dnsbl:(?:attrbl|rblsbc)",
            "553 5.3.0 flpd5 DNSBL:ATTRBL 521< 192.0.2.1 >_is_blocked. Contact abuse",
        ),
    ),
    *rows(
        "Spectrum, Charter",
        "spectrum.net, SMTP error codes",
        (Reason.BLOCKED, r"\baup#(?:in-)?[a-z]*-?\d", "550 5.7.1 E-mail blocked. AUP#In-1310"),
    ),
    *rows(
        "T-Online",
        "postmaster.t-online.de",
        (
            Reason.BLOCKED,
            r"\bip=[^ ]{1,45} - (?:a problem occurred|none|no )|tosa@?rx|ask your postmaster for help or to contact",
            "554 IP=192.0.2.1 - A problem occurred. (Ask your postmaster for help or to contact tosa@rx.t-online.de)",
        ),
    ),
    *rows(
        "GMX, WEB.DE, IONOS",
        "postmaster.gmx.net/en/error-messages",
        (
            Reason.SENDER_REJECTED,
            r"invalid dns mx or a/aaaa resource record",
            "550 Requested action not taken: mailbox unavailable invalid DNS MX or A/AAAA resource record",
        ),
        (Reason.REVERSE_DNS, r"bad dns ptr resource record", "554 No SMTP service Bad DNS PTR resource record."),
        (
            Reason.BLOCKED,
            r"ip address is (?:black ?listed|block ?listed)|reject due to policy restrictions",
            "554 Transaction failed Reject due to policy restrictions.",
        ),
    ),
    *rows(
        "Orange",
        "postmaster.orange.fr",
        (
            Reason.RATE_LIMITED,
            r"\bofr(?:00\d)?_(?:104|109|108)\b",
            "421 Too many connections, slow down. OFR004_104 [104]",
        ),
        (
            Reason.UNKNOWN_USER,
            r"\bofr(?:00\d)?_?_?416\b",
            "550 Adresse d au moins un destinataire invalide. OFR_416 [416]",
        ),
        (Reason.MAILBOX_FULL, r"\bofr(?:00\d)?_?_?417\b", "552 Boite du destinataire pleine. OFR_417 [417]"),
        (Reason.SPAM, r"\bofr(?:00\d)?_?_?(?:506|515)\b", "550 Mail rejete. Mail rejected. OFR_506 [506]"),
        (Reason.BLOCKED, r"\bofr(?:00\d)?_?_?(?:10[1235]|5\d\d)\b", "550 Service refuse. OFR006_102 [102]"),
    ),
    *rows(
        "QQ, Tencent Exmail",
        "service.mail.qq.com, bounce codes",
        (Reason.RATE_LIMITED, r"(?:connection|ip|domain|sender) frequency limited", "550 Ip frequency limited."),
        (Reason.SPAM, r"mail content denied", "550 Mail content denied. http://service.mail.qq.com/detail/122/169"),
        (
            Reason.UNKNOWN_USER,
            r"mailbox unavailable or access denied",
            "550 Mailbox unavailable or access denied",
        ),
    ),
    *rows(
        "NetEase (163, 126)",
        "mail.163.com, bounce codes",
        (Reason.SPAM, r"\bdt:(?:spm|spi|xcl)\b", "554 DT:SPM 163 smtp10,DsCowACXvj please see http://mail.163.com"),
        (
            Reason.BLOCKED,
            r"\b(?:hl:(?:ipb|itc|rep)|mi:spb|ip:clk)\b",
            "554 HL:IPB 163 mx22, please see http://mail.163.com",
        ),
        (Reason.RATE_LIMITED, r"\b(?:mi:(?:cel|ims|nhd|dmc)|rp:(?:qrc|cel|trc))\b", "451 RP:CEL 163 mx1, please see"),
    ),
    *rows(
        "Mail.ru, Yandex",
        "help.mail.ru/notspam, yandex.com/support/mail",
        (
            Reason.SPAM,
            r"help\.mail\.ru/notspam|under suspicion of spam",
            "550 spam message rejected. help.mail.ru/notspam",
        ),
        (
            Reason.RECIPIENT_LIMIT,
            r"recipient has exceeded their message rate limit",
            "450 4.2.1 The recipient has exceeded their message rate limit. Try again later.",
        ),
    ),
    *rows(
        "Zoho",
        "zoho.com/mail/help, SMTP error codes",
        (Reason.QUOTA, r"unusual sending activity detected", "550 5.4.6 Unusual sending activity detected."),
        (Reason.SENDER_REJECTED, r"email outgoing blocked", "554 5.1.8 Email Outgoing Blocked"),
    ),
)
