"""Importing an environment whose source was changed on the way, without touching the installed one."""

from __future__ import annotations

import ast
import importlib.util
import sys
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillhorizon.conformance.deletion.sites import ASKED, Instrumented
from skillhorizon.environment import Environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

    from skillhorizon.conformance.deletion.ways import Watch


class _Loader(SourceFileLoader):
    """Compiles a module's instrumented source, whatever byte code lies beside it."""

    def __init__(self, name: str, path: str, finder: _Finder) -> None:
        super().__init__(name, path)
        self._finder = finder

    def get_code(self, fullname: str) -> CodeType:
        """Compile the instrumented source."""
        path = Path(self.get_filename(fullname))
        tree = Instrumented().visit(ast.parse(path.read_bytes(), str(path)))
        code: CodeType = compile(ast.fix_missing_locations(tree), str(path), "exec", dont_inherit=True)
        return code

    def exec_module(self, module: ModuleType) -> None:
        """Run the module, whose sites ask the watch."""
        module.__dict__[ASKED] = self._finder.watch.asked(self._finder.file_of(Path(self.path)))
        super().exec_module(module)


class _Finder:
    """Finds the modules of one package and has them instrumented."""

    def __init__(self, package: str, watch: Watch) -> None:
        self.package, self.watch = package, watch
        self.root = root_of(package)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a module's spec with the instrumenting loader, or None for modules of other packages."""
        if name.partition(".")[0] != self.package:
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(name, spec.loader.path, self)
        return spec

    def file_of(self, path: Path) -> str:
        """Return a module's file relative to the package."""
        return path.relative_to(self.root).as_posix()


def root_of(package: str) -> Path:
    """Return the folder of a package, or the folder that holds a single module."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"there is no package {package!r}")
    return Path(spec.origin).parent


def files_of(package: str) -> dict[str, Path]:
    """Return a package's source files by their path below it; a single module is its one file."""
    spec, root = importlib.util.find_spec(package), root_of(package)
    if spec is not None and spec.submodule_search_locations:
        return {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*.py"))}
    return {f"{package}.py": root / f"{package}.py"}


@contextmanager
def altered(origin: str, package: str, watch: Watch) -> Iterator[Environment[Any, Any]]:
    """Import an environment anew with every site asking a watch.

    Args:
        origin: `module:attribute` of the bundle.
        package: the top package to change.
        watch: is asked.
    """
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == package}
    finder = _Finder(package, watch)
    sys.meta_path.insert(0, finder)
    module, _, attribute = origin.partition(":")
    try:
        if module.partition(".")[0] != package:
            kept.update({module: sys.modules.pop(module)} if module in sys.modules else {})
        found = getattr(import_module(module), attribute)
        yield found if isinstance(found, Environment) else found()
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.partition(".")[0] in (package, module.partition(".")[0])]:
            del sys.modules[name]
        sys.modules.update(kept)
