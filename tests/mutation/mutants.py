"""Mutants: a module with one small fault each, made by the operators of cosmic-ray."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import ndiff

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One fault.

    Attributes:
        module: dotted name of the module.
        was: the line that is changed, without indentation.
        becomes: what stands there instead; empty where the line is taken out.
        code: the whole module with the fault.
    """

    module: str
    was: str
    becomes: str
    code: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What the mutant is listed by: no number of a line, so that it stays the same when others are moved."""
        return self.module, self.was, self.becomes


def mutants_of(module: str, source: str, *, without: str) -> Iterator[Mutant]:
    """The mutants of a module, each once.

    Annotations are left alone: nothing reads them at run time but the models, and those are held to their schemas.

    Args:
        module: its dotted name.
        source: its code.
        without: pattern of the names of cosmic-ray's operators that are not used.
    """
    seen = {_meaning(source)}
    tree = get_ast(source)
    for name in sorted(operator_names()):
        operator_class = get_operator(name)
        if re.search(without, name) or operator_class.arguments():
            continue
        operator = operator_class()
        places = sum(len(list(operator.mutation_positions(node))) for node in ast_nodes(tree))
        for occurrence in range(places):
            code = mutate_code(source, operator, occurrence)
            try:
                meaning = _meaning(code)
            except SyntaxError:
                continue  # an operator took the star before arguments for a product
            if meaning not in seen:
                seen.add(meaning)
                was, becomes = _changed(source, code)
                yield Mutant(module=module, was=was, becomes=becomes, code=code)


def _meaning(code: str) -> str:
    """The code's syntax tree, without annotations and without the marks of how arguments are given."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.arguments):
            node.args, node.posonlyargs, node.kwonlyargs = node.posonlyargs + node.args + node.kwonlyargs, [], []
            node.defaults += [default for default in node.kw_defaults if default is not None]
            node.kw_defaults = []
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(value=None)
    return ast.dump(tree)


def _changed(before: str, after: str) -> tuple[str, str]:
    lines = list(ndiff(before.splitlines(), after.splitlines()))

    def marked(sign: str) -> str:
        return " ".join(" ".join(line[2:] for line in lines if line.startswith(sign)).split())

    return marked("- "), marked("+ ")
