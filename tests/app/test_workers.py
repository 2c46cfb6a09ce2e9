"""How the engines of one installation tell each other apart."""

from relance.app.running import of_this_host, worker_name


def test_only_an_engine_of_this_host_is_known_to_have_ended():
    """The lock is this host's: a copied data directory must not end the lease of an engine that lives elsewhere."""
    mine = worker_name("a1b2")

    assert [mine] == of_this_host([f"not-{mine}", mine])
