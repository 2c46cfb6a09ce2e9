"""The filters that companies put in front of their mail."""

from relance.mail.bounce_taxonomy import BounceReason as Reason
from relance.mail.dialects.row import rows

_MIMECAST = "mimecastsupport.zendesk.com, SMTP error codes"
_PROOFPOINT = "proofpoint.com, message rejection codes"

GATEWAYS = (
    *rows(
        "Proofpoint",
        _PROOFPOINT,
        (
            Reason.UNKNOWN_USER,
            r"user email address is marked as invalid",
            "550 5.1.1 User email address is marked as invalid.",
        ),
        (
            Reason.BLOCKED,
            r"(?:ipcheck|support|dnsbl)\.proofpoint\.com|blocked - see https?://[^ ]{0,60}proofpoint|\bpdr\b",
            "554 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1",
        ),
        (
            Reason.SPAM,
            r"\[p[45]\] (?:message|your)",
            "554 5.7.1 [P4] Message blocked due to spam content in the message",
        ),
    ),
    *rows(
        "Mimecast",
        _MIMECAST,
        (
            Reason.UNKNOWN_USER,
            r"invalid recipient - https?://(?:community\.)?mimecast",
            "550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550 [kG8p]",
        ),
        (
            Reason.AUTHENTICATION,
            r"anti-?spoofing (?:policy|header)|spf sender invalid|submitter failed to (?:authenticate|disclose)",
            "550 Rejected by header based Anti-Spoofing policy: sales@example.com - https://community.mimecast.com",
        ),
        (
            Reason.BLOCKED,
            r"csi\.mimecast\.org|ip temporarily blacklisted|local ct ip reputation|poor reputation sender",
            "550 csi.mimecast.org Poor Reputation Sender. - https://community.mimecast.com/docs/DOC-1369#550",
        ),
        (
            Reason.FILTERED,
            r"(?:header based )?manually blocked senders?|envelope blocked|administrative prohibition",
            "550 Administrative prohibition - envelope blocked - https://community.mimecast.com/docs/DOC-1369#550",
        ),
        (
            Reason.VIRUS,
            r"e-?mail rejected due to security policies",
            "554 Email rejected due to security policies - https://community.mimecast.com/docs/DOC-1369#554 [x]",
        ),
        (
            Reason.GREYLISTED,
            r"(?:internal resources are|recipient) temporarily unavailable - https?://(?:community\.)?mimecast",
            "451 Internal resources are temporarily unavailable - https://community.mimecast.com/docs/DOC-1369#451",
        ),
    ),
    *rows(
        "Barracuda",
        "campus.barracuda.com, Email Gateway Defense",
        (
            Reason.BLOCKED,
            r"barracudanetworks\.com/reputation|barracudacentral\.org|blocked using barracuda",
            (
                "554 Service unavailable; Client host [192.0.2.1] blocked using Barracuda Reputation; "
                "http://www.barracudanetworks.com/reputation/?r=1&ip=192.0.2.1"
            ),
        ),
        (
            Reason.SPAM,
            r"permanent failure for one or more recipients \(@?[^ ]{0,80}:blocked\)",
            "550 permanent failure for one or more recipients (carol@example.org:blocked)",
        ),
    ),
    *rows(
        "Cisco Secure Email (IronPort)",
        "cisco.com, Secure Email Gateway user guide",
        (
            Reason.BLOCKED,
            r"your access to (?:this mail system|submit messages to this e-?mail system) has been rejected",
            "554 Your access to this mail system has been rejected due to the sending MTA's poor reputation.",
        ),
        (Reason.UNKNOWN_USER, r"#5\.1\.0 address rejected", "550 #5.1.0 Address rejected."),
        (Reason.UNKNOWN_USER, r"#5\.1\.1 bad address", "550 5.1.1 #5.1.1 bad address carol@example.org"),
    ),
    *rows(
        "Symantec (MessageLabs)",
        "knowledge.broadcom.com, Email Security.cloud SMTP errors",
        (Reason.UNKNOWN_USER, r"\b542 @ rejected", "542 carol@example.org Rejected"),
        (Reason.BLOCKED, r"connection rejected by policy", "501 Connection rejected by policy [7.7] 12903"),
        (
            Reason.SPAM,
            r"553-?message filtered|symanteccloud\.com/troubleshooting",
            "553-Message filtered. Refer to the Troubleshooting page at http://www.symanteccloud.com/troubleshooting",
        ),
    ),
    *rows(
        "Trend Micro",
        "success.trendmicro.com, Email Reputation Services",
        (
            Reason.BLOCKED,
            r"blocked using trend micro|ers\.trendmicro",
            "550 Service unavailable; Client host [192.0.2.1] blocked using Trend Micro RBL+.",
        ),
    ),
)
