"""A small MCP server on the Python SDK.

`mcp_server.py stdio`, or `mcp_server.py PORT` for Streamable HTTP at /mcp (0 takes a free port).
"""

import asyncio
import sys
from typing import Annotated, Literal

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import Completion, ImageContent, PromptReference, ToolAnnotations
from pydantic import BaseModel, Field

from loopback import bind, serve

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
READ_ONLY = ToolAnnotations(readOnlyHint=True, openWorldHint=False)

server = MCPServer("python-mcp-peer", version="1.0.0", instructions="A small peer.", log_level="ERROR")


class Sum(BaseModel):
    sum: int


class Reader(BaseModel):
    name: str
    pace: Literal["slow", "fast"] = "slow"


@server.tool(annotations=READ_ONLY, description="Adds two numbers.")
def add(a: int, b: int) -> Sum:
    return Sum(sum=a + b)


@server.tool(annotations=READ_ONLY, description="Tells the motto.")
def motto() -> str:
    return "Measure twice."


@server.tool(annotations=READ_ONLY, description="Takes steps, and reports progress.")
async def steps(ctx: Context, steps: Annotated[int, Field(ge=1, le=100)] = 5) -> str:
    for done in range(1, steps + 1):
        await asyncio.sleep(0.005)
        await ctx.report_progress(done, steps)
    return f"took {steps} steps"


@server.tool(annotations=READ_ONLY, description="Waits, until it is cancelled.")
async def wait(milliseconds: Annotated[int, Field(ge=0, le=10000)] = 1500) -> str:
    await asyncio.sleep(milliseconds / 1000)
    return f"waited {milliseconds} ms"


@server.tool(annotations=READ_ONLY, description="Sends log messages.")
async def log(ctx: Context) -> str:
    await ctx.info("a word at info")
    await ctx.error("a word at error")
    return "logged"


@server.tool(annotations=READ_ONLY, description="Fails always.")
def fail() -> str:
    raise ValueError("this tool always fails")


@server.tool(annotations=READ_ONLY, description="Shows a picture.")
def picture() -> ImageContent:
    return ImageContent(type="image", data=PIXEL, mimeType="image/png")


@server.tool(annotations=READ_ONLY, description="Takes nested arguments.")
def nested(who: Reader, tags: list[str] | None = None) -> str:
    return f"{who.name} is {who.pace}"


@server.tool(annotations=ToolAnnotations(readOnlyHint=False, destructiveHint=True), description="Forgets everything.")
def forget() -> str:
    return "forgotten"


def add_text(name: str) -> None:
    @server.resource(f"peer://texts/{name}", name=name, mime_type="text/plain")
    def read() -> str:
        return f"This is {name}."


for each in ("one", "two", "three"):
    add_text(each)


@server.resource("peer://pictures/pixel", name="pixel", mime_type="application/octet-stream")
def pixel() -> bytes:
    return b"\x00\xff\x00\xff"


@server.resource("peer://entries/{key}", name="entry", mime_type="text/plain")
def entry(key: str) -> str:
    return f"entry {key}"


@server.prompt(description="Asks for a greeting.")
def greet() -> str:
    return "Greet me."


@server.prompt(description="Asks for an explanation.")
def explain(subject: str) -> str:
    return f"Explain {subject}."


@server.completion()
async def complete(ref, argument, context):
    if isinstance(ref, PromptReference) and ref.name == "explain":
        return Completion(values=[s for s in ("ink", "paper") if s.startswith(argument.value)])
    return None


if __name__ == "__main__":
    if sys.argv[1:] == ["stdio"]:
        server.run("stdio")
    else:
        sock, url = bind(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
        serve(server.streamable_http_app(), sock, url + "/mcp")
