"""Container images: what a registry, a layout or the local engine has of one, and what it answers.

>>> from diagnose.collectors.oci import collect
>>> evidence = collect("localhost:5000/team/app:1")  # doctest: +SKIP
>>> evidence.value("oci.referrers.containerd_fails")  # doctest: +SKIP
False
"""

from diagnose.collectors.oci.collect import collect
from diagnose.collectors.oci.errors import UnusableImageError
from diagnose.collectors.oci.facts import FACTS

__all__ = ["FACTS", "UnusableImageError", "collect"]
