"""Container images: what a registry, a layout or the local engine has of one, and what it answers.

>>> from diagnose.collectors.oci import collect
>>> evidence = collect("localhost:5000/team/app:1")  # doctest: +SKIP
>>> evidence.value("oci.referrers.containerd_fails")  # doctest: +SKIP
False
"""

from diagnose.collectors.oci.errors import UnusableImageError
from diagnose.collectors.oci.facts import FACTS
from diagnose.evidence import Evidence

__all__ = ["FACTS", "UnusableImageError", "collect"]


def collect(
    reference: str,
    *,
    platform: str | None = None,
    insecure: bool = False,
    timeout_seconds: float = 10,
    use_engine: bool = True,
) -> Evidence:
    """The evidence on an image: a reference, a folder with an OCI layout, or an archive of one.

    `platform` is os/architecture[/variant] and otherwise the engine's or this host's. `insecure` allows plain HTTP
    and any certificate. `timeout_seconds` is for one read; the whole takes at most twelve times as long.
    Raises UnusableImageError if `reference` is none of the three. A registry that cannot be reached, or answers with
    something else than it should, is evidence.
    """
    from diagnose.collectors.oci.image import look_at_image

    return look_at_image(
        reference,
        platform=platform,
        insecure=insecure,
        timeout_seconds=timeout_seconds,
        use_engine=use_engine,
    )
