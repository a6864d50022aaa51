"""Makes the project root importable, so that tests find `tests.gym_rows` however pytest is started."""
