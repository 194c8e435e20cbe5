"""Starting a run's execution. The RUN is written before, and is the promise: whatever fails here, the sweeper makes good."""

from superbiz.errors import Unavailable
from superbiz.ports import Ports


def start(run_id: str, ports: Ports) -> bool:
    """False where the state machine can not be reached now; the run is OPEN in the ledger and will be started by the sweeper."""
    try:
        ports.machine.start(run_id)
    except Unavailable:
        return False
    return True
