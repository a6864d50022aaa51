"""The scenes: a module each, with `play`, and `EXPECTED`: what the engine should say of the rows it plants."""
