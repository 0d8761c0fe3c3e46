"""One labelling session, shared by several people: event log, leases, cached session states, and views."""

from sameornot.service.errors import Conflict, ServiceError
from sameornot.service.labelling_service import LabellingService
from sameornot.service.options import Options
from sameornot.service.snapshot import GivenAnswer, Group, Snapshot

__all__ = ["Conflict", "GivenAnswer", "Group", "LabellingService", "Options", "ServiceError", "Snapshot"]
