"""The servers of providers: each can be used as it is written, and each is recognised as itself."""

import pytest

from relance.connectors.smtp_imap.settings import Security, read_settings
from relance.core.mail_presets import (
    PRESETS,
    MailPreset,
    preset_named,
    preset_of_address,
    preset_of_exchanger,
    preset_of_server,
)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.id)
def test_a_providers_servers_are_settings_as_they_stand(preset: MailPreset):
    """Encrypted, with a host and a port."""
    settings = read_settings({"smtp": preset.smtp, "imap": preset.imap})

    assert Security.PLAIN not in {settings.smtp.security, settings.imap.security}
    assert preset.smtp_host == settings.smtp.host


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.id)
def test_a_provider_is_recognised_by_its_name_its_domains_and_its_servers(preset: MailPreset):
    """And by no other's."""
    assert preset == preset_named(preset.id)
    assert preset == preset_of_server(preset.smtp_host.upper())
    assert all(preset == preset_of_address(f"Bo@{domain}") for domain in preset.domains)
    assert all(preset == preset_of_exchanger(f"mx1.{end}.") for end in preset.exchangers)


def test_who_is_no_provider_is_not_recognised():
    """A name that ends alike is another name."""
    assert None is preset_of_exchanger("mx.notgoogle.com")
    assert None is preset_of_address("bo@example.com")
    assert None is preset_of_server("mail.example.com")
    assert None is preset_named("")
