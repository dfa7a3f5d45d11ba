"""The public names document what they take and what they return."""

import inspect

import pytest

import coindex

FUNCTIONS = [name for name in coindex.__all__ if inspect.isfunction(getattr(coindex, name))]
CLASSES = [name for name in coindex.__all__ if inspect.isclass(getattr(coindex, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_document_their_parameters_and_their_result(name: str) -> None:
    function = getattr(coindex, name)
    text = inspect.getdoc(function) or ""
    signature = inspect.signature(function)
    assert [parameter for parameter in signature.parameters if f"`{parameter}`" not in text] == []
    returns = text.startswith(("Return ", "Yield ")) or "\nReturns " in text or "\nYields " in text
    assert returns or signature.return_annotation == "None"


@pytest.mark.parametrize("name", CLASSES)
def test_classes_document_their_methods_and_properties(name: str) -> None:
    members = vars(getattr(coindex, name)).items()
    documented = (property, classmethod, staticmethod, type(lambda: None))
    public = [(member, value) for member, value in members if member[0] != "_" and isinstance(value, documented)]
    assert [member for member, value in public if not inspect.getdoc(value)] == []
