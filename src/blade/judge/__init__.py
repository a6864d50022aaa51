"""Grades a report against its runs or its golden report, and calibrates itself on attacks it must survive."""
