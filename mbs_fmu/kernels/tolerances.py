"""Tolerances of the kernels: thresholds below which a number counts as zero or two numbers as equal.

Most are shares (..._SHARE), that is, relative: they multiply another number, and hold at any scale. The comment of each
states what it multiplies, what is compared with it, and why it has this value. constants.py has bounds of counts
(MOST_...). Rounding of double precision is eps = 2.2e-16; "rounding" below is the error that it causes after the
operations in question. "Size of the mechanism" is its characteristic length.
"""

# -- closed loops ----------------------------------------------------------------------------------------------

#: Largest ratio of a row's reference pivot to its pivot in the tree without loops. For a body of hardly any mass, whose
#: joint only allows rotation, the free body's pivot would be 1e12 times the row's true one: the row would count as
#: dependent, and its loop would not close. Free bodies of rods and levers have some 10 times the pivot of the tree. The
#: bound is not far above, since stages omit rows whose pivot is below ten times their residual, 1e-7 at usual steps.
PIVOT_RATIO_BOUND = 1e2

#: Share of a row's reference pivot: a start with a smaller pivot gets a note. A residual of 1e-14 of the size rotates
#: such a row by 1e-5. Files that round lengths to micrometres have pivots of 1e-10 instead of zero; those of regular
#: mechanisms exceed 1e-6.
NEARLY_SINGULAR_PIVOT = 1e-9

#: Share of the mechanism's size: if the residual (m, rad) of an omitted row is larger, the row does not follow from the
#: others. Rows that do follow have residuals like theirs, which projection keeps near rounding.
OPENED_SHARE = 1e-6

#: Contact parameter: a Newton step that changes no parameter by more is rounding. Parameters are angles (rad) or shares
#: of a curve, of order one; at convergence of second order the step before it is some 1e-8.
CONTACT_ROUNDING = 1.0e-15

#: Share of a row's reference pivot: a row with a smaller pivot depends on rounding. A residual g rotates a row of pivot
#: d² by g/d²; residuals of projected states are rounding, some 1e-14 of the mechanism's size, so that velocities along
#: rows above 1e-8 are good to six digits. (Published in docs/equations_loops.md, choice of rows.)
SINGULAR_PIVOT = 1e-8

#: Share of the squared norm of all joint velocities (or momenta): a squared residual below it is rounding in the
#: conjugate gradient iteration. It is the square of 1e-13, eps with three digits for the sums over rows and coordinates
#: in one product.
SQUARE_ROUNDING_SHARE = 1e-26

#: Share of the largest sum of magnitudes of a row's terms: prescribed motions agree if they differ by less. Tables and
#: rounded constants of one motion differ by some 1e-4; motions that contradict each other, by far more. (Published in
#: docs/equations_loops.md, contradictions.)
AGREEMENT_SHARE = 1e-3

#: 1/s, multiplied by the size of the mechanism (m): a velocity below it is rounding of a state at rest, where no
#: velocity exists to compare with. Positions are closed to 1e-10 of that size, their rates to two digits more.
REST_RATE = 1e-12

#: Share of the mechanism's size: loops with smaller residuals (m, rad) are closed. Steps without damping converge
#: quadratically to some 1e-15 of the size; in singular positions they stall at the square root of rounding.
CLOSED_SHARE = 1.0e-10

#: Share of the mechanism's size: with smaller residuals (m, rad), steps of the assembly need no damping, since the
#: terms of second order are a thousandth of the step.
CLOSE_SHARE = 1.0e-3

#: rad: the assembly replaces conditions on directions by rotation vectors if one is larger. Conditions on directions
#: are sines of it, with zeros at half a turn; up to about 1 rad, steps with them lead to the zero of the joint.
FAR_TURN = 1.0

#: rad: the assembly returns to conditions on directions when all rotation vectors are smaller.
NEAR_TURN = 0.1

# -- constraint modes --------------------------------------------------------------------------------------------

#: Share of the mechanism's size (m, or rad for angular rows): contacts with smaller residuals touch. The assembly
#: closes loops to 1e-10 of the size; a contact that separates is given an offset of 1e-10
#: (`clear_rounding_of_new_modes`).
CONTACT_GAP = 1.0e-9

#: Share of the mechanism's size (m, or rad for angular rows): a contact that separates may be inside the surface by as
#: much, to which the assembly closes loops, before it strikes again.
OPEN_SHARE = 1.0e-10

#: Share of the mechanism's size: a contact with a larger residual is apart; smaller ones are rounding of positions.
APART_SHARE = 1.0e-14

#: Share of the largest joint velocity: a rate above it exceeds rounding, however light a body is. Without this bound
#: the estimate by the row's reference pivot grows with 1/m: impacts at 1 m/s on a body of 1e-14 kg counted as rounding.
#: With it, impacts follow the closed form to 1e-6 down to 1e-18 kg.
RATE_SHARE = 1.0e-3

#: Share of the largest number of its kind (impulse, force, rate, acceleration): smaller numbers are zero in the choice
#: of modes. Friction elements whose forces balance would otherwise alternate by rounding without end. (Published in
#: docs/equations_loops.md, changes of modes.)
ZERO_SHARE = 1.0e-10

#: Share of the kinetic energy before and after a change of modes: a loss below it, without impacts, is rounding of the
#: two energies, sums of as many products as there are joint velocities.
LOSS_ROUNDING_SHARE = 1.0e-13

#: rad: largest rotation of a node of an elastic body in the mean frame. Inertia and forces are known to second order of
#: the deformation: at 1 rad the neglected terms are no longer small against those that are kept.
MOST_NODE_ROTATION = 1.0

#: m (of a modal coordinate, which is a deflection): change of a modal coordinate for the derivatives of modal forces by
#: differences. It is small compared with deflections, over which forces are nearly linear, and large enough that the
#: derivatives keep several digits. Newton's method needs no more, since it ends when its steps are small.
STATIC_DIFFERENCE = 1.0e-6

# -- ends of steps, events, samples -------------------------------------------------------------------------------

#: Share of the interval between results, or of a communication step (s): instants less than this and 64 roundings of
#: the time apart are one instant. It exceeds the rounding of times that are computed in different ways, and does not
#: depend on the method's steps.
SAME_INSTANT_SHARE = 1.0e-11

#: Share of the time: 64 roundings of it.
SAME_INSTANT_ROUNDING = 1.4e-14

#: Share of the distance of a function from zero at the end of a part of a step: if the distance at the beginning of the
#: part is smaller, the function counts as being at zero there. A contact that has just rebounded starts its flight at
#: the surface up to rounding. The search then looks inside the part for a point at which the contact is apart, and
#: locates the next impact after it.
START_ROUNDING_SHARE = 1.0e-9

#: Share of a function's largest magnitude: at the end of a part, only smaller values are checked for a zero that the
#: function reaches within the same instant. A function that crosses its whole range in a hundred-thousandth of an
#: output interval is still found.
NEAR_ZERO_SHARE = 1.0e-6

#: Share of a function's magnitude a millionth of a step later: a function that starts below it starts on its zero. In
#: that time a function that moves at all reaches about a millionth of its way in the step; half of that separates "on
#: its zero, moving away" from "off its zero" at any slope.
START_ZERO_SHARE = 5.0e-7

#: Share of a function's largest magnitude: its rounding. Functions that vanish together differ by as much.
FUNCTION_ROUNDING_SHARE = 1.0e-15

#: Share of the largest magnitude of a latch's condition: if a latch is released where its condition for engaging is at
#: its bound, and rests there, its sign is drift until it has moved by more.
LATCH_ROUNDING_SHARE = 1.0e-9

#: Share of a function's largest magnitude: a smaller change in a short time is rounding, and says nothing about the
#: direction in which the function moves.
MOTION_ROUNDING_SHARE = 4.0e-16

#: Share of a step (s): time over which the motion is followed to find the direction in which a function leaves zero.
AHEAD_SHARE = 1.0e-6

#: Share of a sampling period (s): samples this close to a time coincide with it. Times of samples are products n *
#: period, which differ from sums of step sizes by rounding; an importer's communication points may be rounded to six
#: digits.
SAME_SAMPLE_SHARE = 1.0e-6

#: Share of a step (s): the smallest part in which a step that fails is tried, after thirty halvings. If it fails too,
#: no event or mode end precedes the failure.
LEAST_SUBSTEP_SHARE = 1.0e-9

#: Share of the first interval of a sequence: intervals between resets that shrink, one after the other, below it
#: accumulate without end (Zeno behaviour). A ball with restitution 0.9 needs 110 bounces to get there, after which the
#: rest of the motion is a hundred-thousandth of the first flight.
ZENO_SHARE = 1.0e-5

#: Share of a step (s): parts of steps this short are of almost no length. More than MOST_TINY instants in succession
#: after such parts are chatter.
TINY_PART_SHARE = 1.0e-6

# -- methods --------------------------------------------------------------------------------------------------------

#: Share of a component's size: if changes of an implicit method's stages are smaller and no longer decrease, they are
#: rounding, and the iteration has converged. It exceeds rounding even for stiff components, whose rates amplify it, and
#: is far below the error of any useful step.
CONVERGED_CHANGE = 1e-9

# -- near pairs ------------------------------------------------------------------------------------------------

#: Share of the margin of the list of near pairs below which the margin becomes zero: lists are then made so often that
#: a smaller margin would save nothing.
LEAST_NEAR_SHARE = 0.01
