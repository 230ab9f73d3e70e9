"""The service: Loops on a node of this process, with everything that has to survive it in the store.

    async with await Service.open(settings) as service: ...

Trusts the store and the node; trusts no guest, no event and no caller. The clock is given, so that tests move hours.
"""

from salix.service.clock import Clock, SystemClock
from salix.service.errors import Refusal, Refused
from salix.service.service import Service
from salix.service.settings import Limits, Settings

__all__ = ["Clock", "Limits", "Refusal", "Refused", "Service", "Settings", "SystemClock"]
