"""Numbers of contact in a URDF: the elements of PyBullet and of Gazebo, which URDF itself does not define."""

from __future__ import annotations

from .contacts.links import least
from .document import Document, Element
from .imported import Surface

#: Attributes of `Surface` by the element of PyBullet in <contact>, whose number is the attribute `value`.
BULLET = {
    "lateral_friction": "friction", "spinning_friction": "torsional", "rolling_friction": "rolling",
    "stiffness": "stiffness", "damping": "damping",
}  # fmt: skip


def surface_of(document: Document, link: Element) -> Surface:
    """Return the numbers of a link. Raises ModelError for texts that are no numbers."""
    numbers: dict[str, float] = {}
    contact = document.one(link, "contact")
    for tag, name in BULLET.items():
        element = None if contact is None else document.one(contact, tag)
        if element is not None:
            numbers[name] = document.number(element, "value")
    for gazebo in document.root.all("gazebo"):
        if gazebo.get("reference") == link.get("name"):
            numbers |= _of_gazebo(document, gazebo)
    return Surface(**numbers)


def _of_gazebo(document: Document, gazebo: Element) -> dict[str, float]:
    """Return the numbers of a <gazebo> element: the smaller of both coefficients of friction, stiffness and damping."""
    texts = {tag: document.one(gazebo, tag) for tag in ("mu1", "mu2", "kp", "kd")}
    values = {
        tag: document.number(element, "value") if element.get("value") else float(document.values(element, 1)[0])
        for tag, element in texts.items()
        if element is not None
    }
    friction = least([values.get("mu1"), values.get("mu2")])
    named = {"friction": friction, "stiffness": values.get("kp"), "damping": values.get("kd")}
    return {name: x for name, x in named.items() if x is not None}
