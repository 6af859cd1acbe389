"""Worlds and models of an SDFormat file as scopes: selection, nested and included models, versions."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.names import listed
from .document import Document, Element
from .sdf_scopes import MODEL, Entry, Scope, Version
from .shapes import candidates

OLDEST, NEWEST = (1, 4), (1, 12)
MOST_INCLUDES = 20  #: nested in each other


@dataclass(frozen=True)
class _Origin:
    """Facts about all elements of one file: its version, and the files that include it."""

    version: Version
    files: tuple[Path, ...]


@dataclass
class Models:
    """Reader of the scopes of a file. packages: folders of model://NAME/... and package://NAME/..., by name."""

    document: Document
    packages: Mapping[str, Path]
    contents: list[Element] = field(default_factory=list)  #: worlds and models that have been read
    _loaded: dict[Path, Element] = field(default_factory=dict)

    def selected(self, model: str | None) -> Scope:
        """Return the outermost scope with the selected content. Raises ModelError.

        With `model`, that is this model of the file or of its world; otherwise the world, or the only model.
        """
        document, root = self.document, self.document.root
        origin = _Origin(self._version(root), (document.path.resolve(),))
        worlds = root.all("world")
        containers = worlds or [root]
        if len(worlds) > 1 and model is None:
            document.fail(worlds[1], "the file has several worlds: name one model of them by model=")
        if model is None and worlds:
            scope = Scope(document, worlds[0], None, "")
            self.contents.append(worlds[0])
            self._fill(scope, worlds[0], MODEL, origin)
            return scope
        found = [child for outer in containers for child in outer.children if child.tag in ("model", "include")]
        names = [self._name(child, origin) for child in found]
        chosen = [child for child, name in zip(found, names, strict=True) if model in (None, name)]
        if len(chosen) != 1:
            what = "no model" if not found else f"the models {listed(map(repr, names))}"
            advice = "" if not found else ": select one by model="
            document.fail(root, f"the file has {what}{advice}")
        outer = next(element for element in containers if chosen[0] in element.children)
        scope = Scope(document, outer, None, "")
        self.contents += chosen
        self._add_model(scope, chosen[0], MODEL, origin, "")
        return scope

    # -- contents of scopes ------------------------------------------------------------------------------
    def _fill(self, scope: Scope, element: Element, home: str, origin: _Origin) -> None:
        """Add the named children of a world or model to a scope. home: name of the element's own frame."""
        for child in element.children:
            if child.tag in ("link", "joint", "frame"):
                with self.document.attempt():
                    self._add(scope, child, home, origin)
            elif child.tag in ("model", "include"):
                name = self._name(child, origin)
                self._add_model(scope, child, home, origin, f"{scope.prefix}{name}::")

    def _add(self, scope: Scope, child: Element, home: str, origin: _Origin) -> None:
        """Add a link, joint or frame to a scope."""
        name = self._named(child)
        taken = scope.entries.get(name)
        if child.tag == "joint" and taken and taken.kind != "joint" and origin.version < (1, 7):
            name += "_joint"  # before 1.7, a joint may have the name of a link
        if child.tag == "link" and scope.is_world:
            self.document.fail(child, f"link {name!r} is in no model: links of a world must be in a <model>")
        scope.add(Entry(name, child.tag, child, home, origin.version, self.document.one(child, "pose")))

    def _add_model(self, scope: Scope, child: Element, home: str, origin: _Origin, prefix: str) -> None:
        """Add a nested, included or merged model to a scope."""
        document, model, inner = self.document, child, origin
        pose, placement = document.one(child, "pose"), child.get("placement_frame")
        static = document.truth(child, "static", scope.is_static)
        if child.tag == "include":
            model, inner = self._included(child, origin)
            pose = pose or document.one(model, "pose")
            placement = document.text(child, "placement_frame") or model.get("placement_frame")
            static = document.truth(child, "static", document.truth(model, "static", scope.is_static))
        static = static or scope.is_static
        name = self._name(child, origin)
        if child.tag == "include":
            self.contents.append(model)
            document.count(self._loaded[inner.files[-1]])
        if child.tag == "include" and child.get("merge", "false").lower() in ("true", "1"):
            own = f"_merged__{name}{MODEL}"
            scope.add(Entry(own, "merged", model, home, origin.version, pose, None, placement))
            self._fill(scope, model, own, inner)
            return
        nested = Scope(document, model, scope, prefix, static, name_in_parent=name)
        scope.add(Entry(name, "model", model, home, origin.version, pose, nested, placement))
        self._fill(nested, model, MODEL, inner)

    def _named(self, element: Element) -> str:
        name = element.get("name")
        if not name:
            self.document.fail(element, f"this <{element.tag}> has no name")
        return name

    def _name(self, element: Element, origin: _Origin) -> str:
        """Return the name of a nested or included model."""
        if element.tag == "model":
            return self._named(element)
        return self.document.text(element, "name") or self._named(self._included(element, origin)[0])

    # -- files -------------------------------------------------------------------------------------------
    def _version(self, root: Element) -> Version:
        """Return the version of a file. Raises ModelError for no SDFormat and for versions that are not read."""
        if root.tag != "sdf":
            advice = ": read it by from_urdf" if root.tag == "robot" else ""
            self.document.fail(root, f"the outer element is <{root.tag}>, that of an SDFormat file is <sdf>{advice}")
        text = root.get("version")
        match = re.fullmatch(r"(\d{1,3})\.(\d{1,3})(\.\d{1,3})?", text)
        version = (int(match[1]), int(match[2])) if match else (0, 0)
        if not OLDEST <= version <= NEWEST:
            self.document.fail(root, f"version of <sdf> is {display(text)}: 1.4 to 1.12 are read; gz sdf -p converts")
        return version

    def _included(self, include: Element, origin: _Origin) -> tuple[Element, _Origin]:
        """Return the model of an included file. Raises ModelError."""
        uri = self.document.text(include, "uri")
        if not uri:
            self.document.fail(include, "<include> has no <uri>")
        if uri.startswith(("http:", "https:")):
            self.document.fail(include, f"<include> of {uri}: only local files are read; download it, see packages=")
        options = candidates(uri, include.path.resolve().parent, self.packages)
        path = next((path for path in options if os.path.exists(path)), None)
        if path is not None and path.is_dir():
            path = self._file_of_folder(path, include)
        if path is None or not os.path.isfile(path):
            self.document.fail(include, f"<include> of {uri}: the file is not found; give its folder by packages=")
        path = path.resolve()
        if path in origin.files or len(origin.files) > MOST_INCLUDES:
            self.document.fail(include, f"<include> of {uri}: files include each other without end")
        root = self._loaded.get(path) or self.document.load(path)
        self._loaded[path] = root
        models = root.all("model")
        version = self._version(root)
        if len(models) != 1 or root.all("world"):
            self.document.fail(include, f"<include> of {uri}: it must contain one model, and no world")
        return models[0], _Origin(version, (*origin.files, path))

    def _file_of_folder(self, folder: Path, include: Element) -> Path:
        """Return the SDFormat file of a model folder: the newest that its model.config lists, or model.sdf."""
        config = folder / "model.config"
        if not config.is_file():
            return folder / "model.sdf"
        listed_files = []
        for element in self.document.load(config).all("sdf"):
            match = re.fullmatch(r"(\d{1,3})\.(\d{1,3})", element.get("version", "1.4"))
            version = (int(match[1]), int(match[2])) if match else (0, 0)
            if OLDEST <= version <= NEWEST:
                listed_files.append((version, element.text))
        if not listed_files:
            self.document.fail(include, f"{folder.name}/model.config lists no file of version 1.4 to 1.12")
        return folder / max(listed_files)[1]
