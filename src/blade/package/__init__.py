"""Benchmark packages: D1 the skill, D2 the rollouts, D3 the golden reports; how they are made, checked and accepted."""
