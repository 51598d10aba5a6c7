"""What can be seen on this machine: decoders, text defaults, memory, disk, libraries, devices.

Each thing is looked at by a probe. `PROBES` declares them, `run_probe` runs them in a child process, which a crashing
decoder may take down with it.
"""

from diagnose.collectors.host.facts import FACTS
from diagnose.collectors.host.probe import Probe, resolve
from diagnose.collectors.host.probes import PROBES

__all__ = ["FACTS", "PROBES", "Probe", "resolve"]
