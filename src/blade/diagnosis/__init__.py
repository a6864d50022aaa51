"""Why: cases, modes, funnel, twins, labels, interventions. Each step reads what the one before it settled."""
