"""What the tests of every distribution share. pytest reads `pytest_plugins` here, and not further down."""

from importlib.util import find_spec

pytest_plugins = ["octavo_conformance.fixtures"]

if find_spec("hypothesis"):  # the environments of single plugins do without it
    from hypothesis import HealthCheck, settings

    # How long inputs take to make says how busy the machine is; whether they are made at all is still checked.
    settings.register_profile("octavo", suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("octavo")
