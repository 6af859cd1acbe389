"""Models from robot files: URDF and SDFormat by the standard library, MJCF by MuJoCo's compiler."""
