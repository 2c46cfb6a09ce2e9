"""Settings: where they come from, and that a wrong one is refused with its name and place."""

from pathlib import Path

import pytest

from relance.config import Config, ConfigError, LogFormat, LogLevel, read_config


def read(
    tmp_path: Path, toml: str = "", environment: dict[str, str] | None = None, workspace: str | None = None
) -> Config:
    """Read settings whose data directory holds this relance.toml."""
    (tmp_path / "relance.toml").write_text(toml, encoding="utf-8")
    return read_config(environment=environment or {}, data=str(tmp_path), workspace=workspace)


def test_without_any_setting_everything_is_in_one_folder():
    """The default installation is ./relance-data with SQLite in it."""
    config = read_config(environment={})

    assert Path("relance-data") == config.data
    assert Path("relance-data/relance.db") == config.database
    assert Path("relance-data/master.key") == config.master_key_file
    assert ("default", LogLevel.INFO, LogFormat.CONSOLE) == (config.workspace, config.log_level, config.log_format)


def test_flag_beats_environment_beats_file_beats_default(tmp_path):
    """The nearer to the person, the stronger."""
    toml = 'workspace = "from-file"\nlog_level = "error"\n'
    environment = {"RELANCE_WORKSPACE": "from-environment"}

    assert "from-flag" == read(tmp_path, toml, environment, workspace="from-flag").workspace
    assert "from-environment" == read(tmp_path, toml, environment).workspace
    assert "from-file" == read(tmp_path, toml).workspace
    assert "default" == read(tmp_path).workspace
    assert LogLevel.ERROR is read(tmp_path, toml, environment).log_level


def test_the_data_directory_comes_from_flag_or_environment(tmp_path):
    """relance.toml lies in it, so it cannot name it."""
    assert tmp_path == read_config(environment={"RELANCE_DATA": str(tmp_path)}).data
    assert tmp_path / "b" == read_config(environment={"RELANCE_DATA": "a"}, data=str(tmp_path / "b")).data
    with pytest.raises(ConfigError, match="unknown setting 'data'"):
        read(tmp_path, 'data = "elsewhere"')


def test_a_key_file_in_the_toml_is_seen_from_the_data_directory(tmp_path):
    """What a file says does not depend on where somebody stands."""
    assert tmp_path / "keys/k" == read(tmp_path, 'master_key_file = "keys/k"').master_key_file
    assert Path("keys/k") == read(tmp_path, "", {"RELANCE_MASTER_KEY_FILE": "keys/k"}).master_key_file


@pytest.mark.parametrize("server", ["192.0.2.53", "127.0.0.1:5353"])
def test_a_name_server_may_have_a_port(tmp_path, server):
    """Without one it is 53."""
    assert server == read(tmp_path, f'name_server = "{server}"').name_server
    assert None is read(tmp_path).name_server


def test_an_empty_variable_says_nothing(tmp_path):
    """`RELANCE_DATABASE_URL= relance …` is the usual way to switch one off."""
    assert read(tmp_path, "", {"RELANCE_DATABASE_URL": ""}).database_url is None


@pytest.mark.parametrize(
    "toml,environment,words",
    [
        ('log_level = "loud"', {}, ["log_level", "relance.toml", "'loud'", "debug, info, warning, error"]),
        ("", {"RELANCE_LOG_LEVEL": "loud"}, ["log_level", "RELANCE_LOG_LEVEL", "'loud'"]),
        ("", {"RELANCE_LOG_FORMAT": "xml"}, ["log_format", "RELANCE_LOG_FORMAT", "console, json"]),
        (
            "",
            {"RELANCE_DATABASE_URL": "mysql://u:secret@h/d"},
            ["database_url", "RELANCE_DATABASE_URL", "postgresql://"],
        ),
        ("workspace = 3", {}, ["workspace", "relance.toml", "3", "in quotes"]),
        ('workspace = " "', {}, ["workspace", "relance.toml", "name a workspace"]),
        ('workspcae = "a"', {}, ["relance.toml", "'workspcae'", "did you mean workspace?"]),
        (
            "",
            {"RELANCE_LEASE_SECONDS": "0.1"},
            ["lease_seconds", "RELANCE_LEASE_SECONDS", "'0.1'", "between 1 and 300"],
        ),
        ('lease_seconds = "half a minute"', {}, ["lease_seconds", "relance.toml", "such as 30"]),
        ('name_server = "dns.example"', {}, ["name_server", "relance.toml", "192.0.2.53"]),
        ("", {"RELANCE_NAME_SERVER": "192.0.2.53:0"}, ["name_server", "RELANCE_NAME_SERVER", "192.0.2.53:0"]),
        ("workspace = x", {}, ["relance.toml", "not TOML", "line 1"]),
    ],
)
def test_a_wrong_value_is_refused_with_name_place_and_remedy(tmp_path, toml, environment, words):
    """Nobody has to search for where a setting comes from."""
    with pytest.raises(ConfigError) as refused:
        read(tmp_path, toml, environment)

    assert [] == [word for word in words if word not in str(refused.value)]


def test_a_wrong_database_url_is_not_repeated(tmp_path):
    """It may hold a password."""
    with pytest.raises(ConfigError) as refused:
        read(tmp_path, "", {"RELANCE_DATABASE_URL": "mysql://u:secret@h/d"})

    assert "secret" not in str(refused.value)


def test_a_file_is_no_data_directory(tmp_path):
    """A slip of --data is noticed before anything is made."""
    (tmp_path / "file").write_text("", encoding="utf-8")

    with pytest.raises(ConfigError, match="which is a file"):
        read_config(environment={}, data=str(tmp_path / "file"))
