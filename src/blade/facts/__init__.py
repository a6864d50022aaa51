"""The columnar table of a run, one row per rollout, and its cache on disk."""
