"""agentlab: what an agent claimed beside what its harness executed."""
