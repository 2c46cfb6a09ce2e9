"""Replies as mail programs write them in HTML. Each holds `Yes, gladly.` and `Tuesday at 10?`, and a quotation."""

_HI = "<div>Hi Ann</div><div>shall we talk?</div>"
_BLOCK = (
    "<b>From:</b> Bo &lt;bo@example.net&gt;<br><b>Sent:</b> Wednesday<br><b>To:</b> Ann<br><b>Subject:</b> Question"
)
_WROTE = "On Wed, Jul 1, 2026 at 9:30 AM Bo &lt;<a href='mailto:bo@example.net'>bo@example.net</a>&gt; wrote:"

REPLIES = {
    "gmail": (
        "<div dir='ltr'><div>Yes, gladly.</div><div>Tuesday at 10?</div></div><br><div class='gmail_quote gmail_quote_container'>"
        f"<div dir='ltr' class='gmail_attr'>{_WROTE}<br></div><blockquote class='gmail_quote'>{_HI}</blockquote></div>"
    ),
    "apple mail": (
        f"<html><body>Yes, gladly.<div>Tuesday at 10?<br><div><br><blockquote type='cite'><div>{_WROTE}</div><br>"
        f"<div>{_HI}</div></blockquote></div></div></body></html>"
    ),
    "iphone": (
        "<html><body dir='auto'>Yes, gladly.<div>Tuesday at 10?<br><br><div dir='ltr'>Sent from my iPhone</div><div dir='ltr'>"
        f"<br><blockquote type='cite'>{_WROTE}<br><br></blockquote></div><blockquote type='cite'>{_HI}</blockquote></div></body>"
    ),
    "outlook for windows": (
        "<div class='WordSection1'><p class='MsoNormal'>Yes, gladly.</p><p class='MsoNormal'>Tuesday at 10?</p>"
        "<p class='MsoNormal'>&nbsp;</p><div><div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'>"
        f"<p class='MsoNormal'>{_BLOCK}</p></div></div><p class='MsoNormal'>Hi Ann</p></div>"
    ),
    "outlook for windows, german": (
        "<div class='WordSection1'><p class='MsoNormal'>Yes, gladly.<o:p></o:p></p><p class='MsoNormal'>Tuesday at 10?<o:p></o:p>"
        "</p><div style='border:none;border-top:solid #B5C4DF 1.0pt'><p class='MsoNormal'><b>Von:</b> Bo [mailto:bo@example.net]"
        "<br><b>Gesendet:</b> Mittwoch<br><b>An:</b> Ann<br><b>Betreff:</b> Frage</p></div><p>Hi Ann</p></div>"
    ),
    "outlook on the web": (
        "<div>Yes, gladly.</div><div>Tuesday at 10?</div><div id='appendonsend'></div><hr style='display:inline-block;width:98%'>"
        f"<div id='divRplyFwdMsg' dir='ltr'>{_BLOCK}<div>&nbsp;</div></div><div>{_HI}</div>"
    ),
    "outlook on the web, prefixed by a gateway": (
        "<div>Yes, gladly.</div><div>Tuesday at 10?</div><div id='x_appendonsend'></div><hr><div id='x_divRplyFwdMsg'>"
        f"{_BLOCK}</div><div>{_HI}</div>"
    ),
    "outlook for mac": (
        "<div>Yes, gladly.</div><div>Tuesday at 10?</div><div><br></div><span id='OLK_SRC_BODY_SECTION'><div style='border-top:"
        f" #b5c4df 1pt solid'>{_BLOCK}</div><div>{_HI}</div></span>"
    ),
    "outlook mobile": (
        "<div>Yes, gladly.</div><div>Tuesday at 10?</div><div id='ms-outlook-mobile-signature'>Get <a href='https://aka.ms/x'>"
        f"Outlook for iOS</a></div><hr><div id='divRplyFwdMsg'>{_BLOCK}</div>{_HI}"
    ),
    "windows mail": (
        "<div>Yes, gladly.</div><div>Tuesday at 10?</div><div style='padding-top: 5px; border-top-color: rgb(229, 229, 229); "
        "border-top-width: 1px; border-top-style: solid;'><div><b>From:</b>&nbsp;Bo<br><b>Sent:</b>&nbsp;Wednesday<br>"
        f"<b>To:</b>&nbsp;Ann</div></div><div>{_HI}</div>"
    ),
    "yahoo": (
        "<div class='yahoo-style-wrap'><div>Yes, gladly.</div><div>Tuesday at 10?</div></div><div id='ydp1yahoo_quoted_1' "
        f"class='ydp1yahoo_quoted'><div><div>{_WROTE}</div><div>{_HI}</div></div></div>"
    ),
    "thunderbird": (
        f"<p>Yes, gladly.<br>Tuesday at 10?</p><div class='moz-cite-prefix'>{_WROTE}<br></div>"
        f"<blockquote type='cite' cite='mid:1@example.net'>{_HI}</blockquote>"
    ),
    "protonmail": (
        "<div>Yes, gladly.</div><div>Tuesday at 10?</div><div><br></div><div class='protonmail_signature_block'>Sent with "
        f"<a href='https://proton.me'>Proton Mail</a> secure email.</div><div class='protonmail_quote'>{_WROTE}<br>"
        f"<blockquote class='protonmail_quote'>{_HI}</blockquote></div>"
    ),
    "zimbra": (
        "<div>Yes, gladly.</div><div>Tuesday at 10?</div><hr id='zwchr' data-marker='__DIVIDER__'><div "
        f"data-marker='__HEADERS__'>{_BLOCK}</div><div data-marker='__QUOTED_TEXT__'>{_HI}</div>"
    ),
    "zoho": (
        "<div>Yes, gladly.<br>Tuesday at 10?</div><div class='zmail_extra'><div id='Zm-_Id_-Sgn1'>---- On Wed, 01 Jul 2026 "
        f"09:30:00 +0200 <b>Bo</b> wrote ---</div><blockquote>{_HI}</blockquote></div>"
    ),
    "yandex": (
        '<div>Yes, gladly.</div><div>Tuesday at 10?</div><div>\xa0</div><div>01.07.2026, 09:30, "Bo" &lt;bo@example.net&gt;:'
        f"</div><blockquote>{_HI}</blockquote>"
    ),
    "mail.ru": (
        "<div>Yes, gladly.</div><div>Tuesday at 10?</div><blockquote style='border-left:1px solid #0857A6;'>Среда, 1 июля 2026, "
        f"9:30 +03:00 от Bo &lt;bo@example.net&gt;:<br>{_HI}</blockquote>"
    ),
    "gmx": (
        "<div>Yes, gladly.</div><div>Tuesday at 10?</div><div name='quote' style='margin:10px 5px 5px 10px; border-left:2px solid "
        "#C3D9E5;'><div><b>Gesendet:</b> Mittwoch<br/><b>Von:</b> Bo<br/><b>An:</b> Ann<br/><b>Betreff:</b> Frage</div>"
        f"<div name='quoted-content'>{_HI}</div></div>"
    ),
    "fastmail": (
        f"<div>Yes, gladly.<br></div><div>Tuesday at 10?<br></div><div><br></div><div>{_WROTE}<br></div>"
        f"<blockquote type='cite' id='qt'>{_HI}</blockquote>"
    ),
    "qq": (
        "<div>Yes, gladly.</div><div>Tuesday at 10?</div><div><includetail><div>------------------ 原始邮件 ------------------"
        f"</div><div><b>发件人:</b> Bo<br><b>发送时间:</b> 2026年7月1日<br><b>收件人:</b> Ann</div>{_HI}</includetail></div>"
    ),
    "netease": (
        "<div>Yes, gladly.</div><div>Tuesday at 10?</div><div id='isReplyContent'>在 2026-07-01 09:30:00，\"Bo\" "
        f"&lt;bo@example.net&gt; 写道：<blockquote>{_HI}</blockquote></div>"
    ),
    "spark": (
        "<div name='messageBodySection'><div>Yes, gladly.</div><div>Tuesday at 10?</div></div><div name='messageReplySection'>"
        f"On 1 Jul 2026, 09:30 +0200, Bo &lt;bo@example.net&gt;, wrote:<br><blockquote>{_HI}</blockquote></div>"
    ),
    "superhuman": (
        "<div><div>Yes, gladly.</div><div>Tuesday at 10?</div><div class='sh-signature'></div></div><br><div class='gmail_quote'>"
        f"On Wed, Jul 01, 2026 at 9:30 AM, Bo &lt; bo@example.net &gt; wrote:<br><blockquote>{_HI}</blockquote></div>"
    ),
    "samsung": (
        "<div dir='auto'>Yes, gladly.</div><div dir='auto'>Tuesday at 10?</div><div><br></div><div>-------- Original message "
        f"--------</div><div>From: Bo &lt;bo@example.net&gt; </div><div>Date: 1/7/26 09:30 (GMT+01:00) </div><div>To: Ann</div>{_HI}"
    ),
    "roundcube": (
        "<p>Yes, gladly.<br />Tuesday at 10?</p><p id='reply-intro'>On 2026-07-01 09:30, Bo wrote:</p><blockquote type='cite'>"
        f"{_HI}</blockquote>"
    ),
    "hey, in a table": (
        f"<table><tr><td>Yes, gladly.<br>Tuesday at 10?</td></tr></table><p>{_WROTE}</p><blockquote>{_HI}</blockquote>"
    ),
    "lotus notes": (
        "<font>Yes, gladly.</font><br><font>Tuesday at 10?</font><br><br><font>From: </font><font>Bo &lt;bo@example.net&gt;</font>"
        "<br><font>To: </font><font>Ann</font><br><font>Date: </font><font>01.07.2026 09:30</font><br><font>Subject: </font>"
        "<font>Question</font><br><hr noshade><br>Hi Ann"
    ),
    "front": (
        f"<div>Yes, gladly.</div><div>Tuesday at 10?</div><br><div class='front-blockquote'>{_WROTE}<blockquote>{_HI}</blockquote></div>"
    ),
}
