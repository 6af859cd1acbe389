"""Elements of finite element models: bars, plates, and the stress stiffness of solids."""
