"""Settings of a mailbox: complete, and refused with a remedy."""

from importlib.metadata import entry_points
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.connectors.smtp_imap import connector as factory
from relance.connectors.smtp_imap.settings import Security, read_settings, write_settings

GIVEN = {"smtp": "smtp.example.com:587", "imap": "imap.example.com:993"}


def test_the_short_form_is_completed():
    """Usual ports say how they are protected."""
    complete = factory.parse_settings(GIVEN)

    assert {
        "smtp_host": "smtp.example.com",
        "smtp_port": 587,
        "smtp_security": "starttls",
        "imap_host": "imap.example.com",
        "imap_port": 993,
        "imap_security": "tls",
        "ca_file": None,
    } == {key: value for key, value in complete.items() if not key.endswith("_seconds")}
    assert complete == factory.parse_settings(complete)


@pytest.mark.parametrize(
    "text, host, security",
    [
        ("127.0.0.1:2525:plain", "127.0.0.1", Security.PLAIN),
        ("[::1]:2525:plain", "::1", Security.PLAIN),
        ("localhost:1:PLAIN", "localhost", Security.PLAIN),
        ("[2001:db8::1]:465", "2001:db8::1", Security.TLS),
        ("mail.example.com:4650:starttls", "mail.example.com", Security.STARTTLS),
    ],
)
def test_hosts_of_every_kind_are_read(text: str, host: str, security: Security):
    """IPv6 in brackets; the security in any case."""
    endpoint = read_settings({**GIVEN, "smtp": text}).smtp

    assert (host, security) == (endpoint.host, endpoint.security)


@pytest.mark.parametrize(
    "wrong, remedy",
    [
        ({"smtp": "smtp.example.com"}, "lacks its port"),
        ({"smtp": "[::1"}, "lacks its port"),
        ({"smtp": ":25"}, "needs a host name"),
        ({"smtp": "a b:25"}, "needs a host name"),
        ({"smtp": "http://x:25"}, "needs a port"),
        ({"smtp": "x:0"}, "between 1 and 65535"),
        ({"smtp": "x:70000"}, "between 1 and 65535"),
        ({"smtp": "x:٣"}, "between 1 and 65535"),
        ({"smtp": "x:25:ssl"}, "tls, starttls or plain"),
        ({"smtp": "smtp.example.com:25:plain"}, "only on this machine"),
        ({"imap": "10.0.0.1:143:plain"}, "only on this machine"),
        ({"imap": None}, "needs a host name"),
        ({"ca_file": "/nowhere/ca.pem"}, "not a readable file"),
        ({"ca_file": 7}, "path of a PEM file"),
        ({"poll_seconds": 0}, "positive number"),
        ({"poll_seconds": "soon"}, "positive number"),
        ({"idle_renew_seconds": 1740}, "below 29 minutes"),
        ({"impa": "x:1"}, "unknown setting 'impa'"),
    ],
)
def test_a_wrong_setting_is_refused_with_a_remedy(wrong: dict[str, object], remedy: str):
    """One sentence that names the setting."""
    with pytest.raises(ValueError, match=remedy):
        factory.parse_settings({**GIVEN, **wrong})


def test_a_file_that_is_no_certificate_is_refused_when_it_is_named(tmp_path: Path):
    """Not when somebody connects: by then nobody thinks of it. Settings that were checked once are only read."""
    path = tmp_path / "ca.pem"
    path.write_text("not a certificate")

    with pytest.raises(ValueError, match="holds no certificate in PEM"):
        factory.parse_settings({**GIVEN, "ca_file": str(path)})
    assert str(path) == read_settings({**GIVEN, "ca_file": str(path)}).ca_file


@given(
    host=st.from_regex(r"[a-z0-9-]{1,10}(\.[a-z0-9-]{1,10}){0,3}", fullmatch=True),
    port=st.integers(1, 65535),
    security=st.sampled_from([Security.TLS, Security.STARTTLS]),
)
def test_what_is_written_is_read_back(host: str, port: int, security: Security):
    """The stored form and the settings are the same thing."""
    settings = read_settings({"smtp": f"{host}:{port}:{security}", "imap": f"{host}:{port}:{security}"})

    assert settings == read_settings(write_settings(settings))


def test_the_connector_is_registered_under_its_name():
    """The entry point leads to the factory."""
    (registered,) = entry_points(group="relance.connectors", name="smtp_imap")

    assert factory is registered.load()
