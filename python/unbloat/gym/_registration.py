"""The names of the environments."""

from gymnasium.envs import registration

#: The environments by name, and their classes.
_ENVIRONMENTS = {
    "unbloat/Aqm-v0": "unbloat.gym:AqmEnv",
    "unbloat/Autorate-v0": "unbloat.gym:AutorateEnv",
    "unbloat/CongestionControl-v0": "unbloat.gym:CongestionControlEnv",
}


def register() -> None:
    """Registers the environments. Gymnasium calls this as it is imported, if the package is installed."""
    for name, entry_point in _ENVIRONMENTS.items():
        if name not in registration.registry:
            registration.register(name, entry_point)  # pyright: ignore[reportUnknownMemberType]
