"""The reference of tools, capabilities, limits and refusals as a page, made from what defines them."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from salix.http.errors import STATUS
from salix.service import Limits
from salix.service.capabilities import CAPABILITIES
from salix.tools.registry import TOOLS, Tool

_INTRODUCTION = """# Tools, capabilities, limits

Made from the code. What they are for, and what is promised, is in [Loops](loops.md).

## Tools

`POST /v1/tools/NAME` with a JSON object, or MCP. Arguments without a default must be given; others are refused.
"""


def reference() -> str:
    """The page, as Markdown."""
    parts = [_INTRODUCTION, *map(_tool, TOOLS.values())]
    parts.append("## Capabilities\n\n`sf_host_call(NAME, arguments, timeout_ms)`; `->` says what the result has.\n")
    for name, run in CAPABILITIES.items():
        parts.append(f"### `{name}`\n\n{_paragraphs(run.__doc__ or '')}\n")
    rows = "".join(f"| `{field.name}` | {getattr(Limits(), field.name)} |\n" for field in fields(Limits))
    parts.append(f"## Limits\n\nOf one Loop, where the name says nothing else.\n\n| limit | value |\n|---|---|\n{rows}")
    rows = "".join(f"| `{kind.value}` | {status} |\n" for kind, status in STATUS.items())
    parts.append(f'## Refusals\n\n`{{"error": {{"kind", "message"}}}}`.\n\n| kind | status |\n|---|---|\n{rows}')
    return "\n".join(parts)


def _tool(tool: Tool) -> str:
    properties: dict[str, Any] = tool.schema().get("properties", {})
    text = f"### `{tool.name}`\n\n{tool.description}\n"
    if properties:
        text += "\n| argument | type | default | |\n|---|---|---|---|\n"
        text += "".join(_argument(name, schema) for name, schema in properties.items())
    return text


def _argument(name: str, schema: dict[str, Any]) -> str:
    default = f"`{json.dumps(schema['default'])}`" if "default" in schema else ""
    return f"| `{name}` | {_type(schema)} | {default} | {schema.get('description', '')} |\n"


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(map(_type, schema["anyOf"]))
    kind = str(schema.get("type", "any JSON"))
    if kind == "integer" and "maximum" in schema:
        return f"integer, {schema['minimum']} to {schema['maximum']}"
    if kind == "array":
        return f"array of {_type(schema['items'])}"
    return kind


def _paragraphs(text: str) -> str:
    """A docstring without its indentation; its first line, a signature, as code up to the full stop behind it."""
    first, _, rest = text.partition("\n")
    signature, stop, more = first.partition("}. ") if "}. " in first else (first.rstrip("."), "", "")
    signature = signature + "}" if stop else signature
    body = "\n".join(line.strip() for line in rest.splitlines())
    return f"`{signature}`\n\n{more}\n{body}".strip()
