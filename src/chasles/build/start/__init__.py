"""Where a run begins: closed joints, allowed velocities, redundant or contradicting joints."""
