"""`worker_process.py PLACE START` works until it is killed; its clock began in 2030 at START."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime, timedelta

from coindex.annotation_app.layers import open_store
from coindex.campaigns.server import CampaignServer, Limits
from coindex.campaigns.worker import Worker

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
LEASE = 3.0


def main(place: str, start: float) -> None:
    def clock() -> datetime:
        return NOON + timedelta(seconds=time.time() - start)

    limits = Limits(lease_seconds=LEASE, attempts=100, checkers=0)
    Worker(CampaignServer(open_store(place), clock=clock, limits=limits)).run(idle=0.05)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
