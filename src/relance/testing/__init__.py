"""Public test support: conformance suites for stores and connectors, clocks, builders."""
