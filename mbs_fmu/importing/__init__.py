"""Models from robot files: URDF by the standard library, MJCF by MuJoCo's compiler."""
