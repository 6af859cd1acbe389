"""Numbers of the tasks of contact_tasks.py, without imports, since the process of a peer uses them too."""

SIDES = (0.2, 0.15, 0.1)  #: m, of the box, 1 kg
BALL = 0.1  #: m, radius of the ball, 0.1 kg, which is soft: it dents by 3 cm
RADIUS, THICKNESS = 0.04, 0.025  #: m, of the puck, 0.2 kg
MASSES = {"landing": 1.0, "throw": 0.1, "puck": 0.2}  #: kg
DURATIONS = {"landing": 0.8, "throw": 0.8, "puck": 2.0, "stance": 0.4}  #: s
FRICTION = {"landing": 0.5, "throw": 0.5, "puck": 0.1}
HEIGHTS = {"landing": 0.5, "throw": 0.5}  #: m, of the centres at the start
#: Velocity, m/s, and angular velocity, rad/s, at the start; the unknowns are some of them, and these are their guess.
STARTS = {
    "landing": (1.0, 0.2, 0.0, 2.0, 3.0, 1.0),
    "throw": (1.0, 0.2, 0.0, 0.0, 10.0, 0.0),
    "puck": (1.2, 0.1, 0.0, 0.0, 0.0, 6.0),
}
UNKNOWN = {"landing": (0, 1, 5), "throw": (0, 1, 2), "puck": (0, 1, 5)}
RANGES = {"landing": 0.01, "throw": 0.05, "puck": 0.01, "stance": 0.01}  #: half the widths of ranges for trends
#: Where the centre shall be at the end, m: x, y, and z of the ball; box and puck shall head along x.
TARGETS = {"landing": (0.5, 0.1), "throw": (1.5, 0.3, 0.4), "puck": (1.0, 0.3)}

PAYLOAD, PLACE = 2.0, (0.1, 0.05, 0.08)  #: kg, m: what the quadruped carries, off its middle
LOWER = 0.27  #: m, height at which its trunk shall be
GAINS = (70.0, 1.6)  #: N m/rad, N m s/rad, of its servos
WEIGHTS = (1e3, 2.5e4, 1e-3)  #: of roll and pitch squared, of the error of the height squared, of the torques squared

BOUNCE_MASS, BOUNCE_STIFFNESS, BOUNCE_DROP, BOUNCE_DURATION = 0.5, 2000.0, 0.3, 0.6  #: kg, N/m, m, s: in closed form
