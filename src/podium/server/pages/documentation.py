"""The API as a page, made of the same schema that programs read."""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse

from podium.server.callers import Signed
from podium.server.pages.rendering import render

__all__ = ["operations_by_tag", "router"]

router = APIRouter()
METHODS = ("get", "post", "patch", "delete")


@router.get("/api")
def documentation(request: Request, caller: Signed) -> HTMLResponse:
    schema = request.app.openapi()
    home = request.app.state.public_url or f"{request.url.scheme}://{request.url.netloc}"
    return render(request, "api.html", groups=operations_by_tag(schema), home=home)


def operations_by_tag(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The operations of a schema, in groups, with examples of what goes in and out."""
    groups = {tag["name"]: {**tag, "operations": []} for tag in schema["tags"]}
    for path, methods in schema["paths"].items():
        for method in METHODS:
            if method in methods:
                operation = methods[method]
                groups[operation["tags"][0]]["operations"].append(_operation(schema, path, method, operation))
    return list(groups.values())


def _operation(schema: dict[str, Any], path: str, method: str, operation: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = next((value for status, value in operation["responses"].items() if status.startswith("2")), {})
    return {
        "id": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": operation.get("summary", ""),
        "description": operation.get("description", ""),
        "parameters": [_parameter(each) for each in operation.get("parameters", [])],
        "takes": _example_of_content(schema, operation.get("requestBody", {})),
        "gives": _example_of_content(schema, answer),
    }


def _parameter(parameter: dict[str, Any]) -> dict[str, Any]:
    kinds = [each.get("type", "") for each in parameter["schema"].get("anyOf", [parameter["schema"]])]
    choices = [str(choice) for each in parameter["schema"].get("anyOf", [parameter["schema"]]) for choice in each.get("enum", [])]
    about = ", ".join(choices) or " or ".join(kind for kind in kinds if kind not in ("", "null"))
    return {"name": parameter["name"], "where": parameter["in"], "is_required": parameter.get("required", False), "about": about}


def _example_of_content(schema: dict[str, Any], holder: dict[str, Any]) -> str:
    for kind, content in holder.get("content", {}).items():
        if kind == "application/json":
            return json.dumps(example_of(schema, content.get("schema", {})), indent=2, ensure_ascii=False)
        fields = content.get("schema", {}).get("properties", {})
        return f"{kind}: {', '.join(fields)}" if fields else kind
    return ""


def example_of(schema: dict[str, Any], shape: dict[str, Any], depth: int = 0) -> Any:
    """A value of a shape: its example or default if it has one, otherwise something of its type."""
    if "$ref" in shape:
        shape = schema["components"]["schemas"][shape["$ref"].rsplit("/", 1)[-1]]
    for name in ("examples", "enum"):
        if shape.get(name):
            return shape[name][0]
    for name in ("default", "const"):
        if name in shape:
            return shape[name]
    if "anyOf" in shape:
        return example_of(schema, shape["anyOf"][0], depth)
    kind = shape.get("type")
    if kind == "object" and depth < 5:
        return {name: example_of(schema, inner, depth + 1) for name, inner in shape.get("properties", {}).items()}
    if kind == "array" and depth < 5:
        return [example_of(schema, shape.get("items", {}), depth + 1)]
    return {"string": "…", "integer": int(shape.get("minimum", 1)), "number": 1.5, "boolean": True, "array": [], "object": {}}.get(
        str(kind)
    )
