"""A small A2A agent on the Python SDK: `a2a_agent.py PORT` (0 takes a free port).

It speaks 1.0 and, beside it, 0.3, over JSON-RPC at /rpc and HTTP+JSON at /rest. The first word of
the text says what it does: message, input, slow, fail, reject, data, file; anything else is a task
that completes, after a moment in which it can be subscribed to and cancelled.
"""

import asyncio
import sys

from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Part, Task, TaskState, TaskStatus
from google.protobuf.json_format import ParseDict
from google.protobuf.struct_pb2 import Value
from starlette.applications import Starlette

from loopback import bind, serve


def text(words: str) -> Part:
    return Part(text=words, media_type="text/plain")


class Executor(AgentExecutor):
    async def execute(self, context, event_queue) -> None:
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        words = context.get_user_input()
        task = context.current_task
        first = "" if task else (words.split() or [""])[0].lower()

        def say(reply: str):
            return updater.new_agent_message([text(reply)])

        if first == "message":
            reply = say(f"You said: {words}")
            reply.ClearField("task_id")
            await event_queue.enqueue_event(reply)
            return
        if task is None:
            task = Task(id=context.task_id, context_id=context.context_id, history=[context.message],
                        status=TaskStatus(state=TaskState.TASK_STATE_SUBMITTED))
            task.status.timestamp.GetCurrentTime()
            await event_queue.enqueue_event(task)
        if first == "reject":
            await updater.reject(say("Not for this agent."))
            return
        await updater.start_work()
        if first == "fail":
            await updater.failed(say("It did not work."))
        elif first == "input":
            await updater.requires_input(say("What else?"))
        else:
            await self.answer(updater, first, words)

    async def answer(self, updater, first: str, words: str) -> None:
        await asyncio.sleep(2 if first == "slow" else 0.4)
        if first == "data":
            await updater.add_artifact([Part(data=ParseDict({"answer": 42}, Value()), media_type="application/json")], "answer", last_chunk=True)
        elif first == "file":
            await updater.add_artifact([Part(raw=b"some bytes", media_type="application/octet-stream", filename="bytes.bin")], "answer", last_chunk=True)
        else:
            for i, piece in enumerate(["You said: ", words, "."]):
                await updater.add_artifact([text(piece)], "answer", append=i > 0, last_chunk=i == 2)
        await updater.complete()

    async def cancel(self, context, event_queue) -> None:
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


def card(url: str) -> AgentCard:
    return AgentCard(
        name="Python A2A peer", description="Answers anything.", version="1.0.0",
        supported_interfaces=[AgentInterface(url=url + path, protocol_binding=binding, protocol_version=version)
                              for version in ("1.0", "0.3") for path, binding in (("/rpc", "JSONRPC"), ("/rest", "HTTP+JSON"))],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"], default_output_modes=["text/plain"],
        skills=[AgentSkill(id="echo", name="Echo", description="Says it back.", tags=["echo"])],
    )


if __name__ == "__main__":
    sock, url = bind(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    agent_card = card(url)
    handler = DefaultRequestHandler(agent_executor=Executor(), task_store=InMemoryTaskStore(), agent_card=agent_card)
    routes = [
        *create_agent_card_routes(agent_card, cache_control="public, max-age=3600"),
        *create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=True),
        *create_rest_routes(handler, enable_v0_3_compat=True, path_prefix="/rest"),
    ]
    serve(Starlette(routes=routes), sock, url)
