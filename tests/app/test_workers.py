"""How the engines of one installation tell each other apart."""

from relance.app.running import if_of_this_host, worker_name


def test_only_an_engine_of_this_host_is_known_to_have_ended():
    """The file lock is this host's: a copied data directory must not end the lease of an engine that lives elsewhere."""
    mine = worker_name("a1b2")
    elsewhere = f"not-{mine}"

    assert mine == if_of_this_host(mine)
    assert if_of_this_host(elsewhere) is None
    assert if_of_this_host(None) is None
