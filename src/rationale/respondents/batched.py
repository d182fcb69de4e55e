"""A language model with nobody behind it: what a live call would send, and how it would read a reply.

The call goes through litellm as a live one does, up to a transport that hands over the request or
gives a reply that is already there. So a batch asks what a live call asks, and both are read alike.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from rationale.config import key_variables, provider_of
from rationale.redaction import redact
from rationale.respondents.base import Call, Denied, Reply, RespondentError
from rationale.respondents.llm import LanguageModel

_PATHS = {"openai": "/chat/completions", "anthropic": "/v1/messages"}
# Replies to nothing: litellm takes several times as long over an error.
_NOTHING = {
    "openai": {"choices": [{"message": {"role": "assistant", "content": ""}}], "usage": {}},
    "anthropic": {
        "content": [],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 0, "output_tokens": 0},
    },
}
_HEADERS = ("extra_headers", "headers")
_JSON = {"content-type": "application/json"}
_NOWHERE = "http://offline.invalid/v1"


class OfflineModel(LanguageModel):
    """A `LanguageModel` of a provider with batch files. It needs no key and reaches no network."""

    def __init__(self, spec: Mapping[str, Any]):
        super().__init__(spec, timeout_s=600, concurrency=1)
        self.provider = provider_of(spec)
        self._client: Any = None
        self._caught: Any = None
        self._given: tuple[int, Mapping[str, Any]] = (200, {})

    def connect(self) -> None:
        """Import litellm and settle the parameters. Raises Denied for those no batch can carry."""
        headers = [name for name in _HEADERS if name in self.asked.params]
        if headers:
            raise Denied(
                f"{self.asked.model}: a batch carries no headers; remove {', '.join(headers)} from "
                f"params, or take the model out of asking.batch"
            )
        self.settle()

    @property
    def dropped(self) -> list[str]:
        """Parameters that are asked for and not sent."""
        return sorted(self._refused)

    async def body(self, call: Call) -> dict[str, Any]:
        """The JSON body that this call sends. Raises Denied when it cannot go into a batch."""
        if self.litellm is None:
            self.connect()
        self._caught, self._given = None, (200, _NOTHING[self.provider])
        try:
            await self.reply(call)
        except RespondentError as error:
            if self._caught is None:
                raise Denied(f"{call.model}: no request could be made of it ({error})") from None
        request = self._caught
        if not request.url.path.endswith(_PATHS[self.provider]):
            raise Denied(
                f"{call.model} is asked at {request.url.path}, for which no batch file is known; "
                f"take the model out of asking.batch"
            )
        if "anthropic-beta" in request.headers:
            raise Denied(
                f"{call.model}: its params need the header 'anthropic-beta: "
                f"{request.headers['anthropic-beta']}', which no batch carries; ask it live"
            )
        return json.loads(request.content)

    async def read(
        self, call: Call, dropped: Collection[str], status: int, body: Mapping[str, Any]
    ) -> Reply:
        """The reply in a response that is already there; ``dropped`` is what was left out.

        Raises the RespondentError that a live call with this response raises.
        """
        if self.litellm is None:
            self._import()
        self._refused, self._given = set(dropped), (status, body)
        return await self.reply(call)

    def redacted(self, text: str) -> str:
        """The text without any key of the environment."""
        return redact(text, keys=key_variables(self.spec))

    async def close(self) -> None:
        """Let go of the clients."""
        if self._client is not None:
            await self._client.close()
        await super().close()

    def _address(self) -> dict[str, Any]:
        """In place of an address and a key: a client whose requests go nowhere."""
        if self._client is None:
            self._client = self._nowhere()
        return {"api_key": "none", "client": self._client}

    def _nowhere(self) -> Any:
        import httpx

        def respond(request: httpx.Request) -> httpx.Response:
            self._caught = request
            status, body = self._given
            return httpx.Response(status, content=json.dumps(body), headers=_JSON)

        http = httpx.AsyncClient(transport=httpx.MockTransport(respond))
        if self.provider == "openai":
            import openai

            return openai.AsyncOpenAI(
                api_key="none", base_url=_NOWHERE, http_client=http, max_retries=0
            )
        client = self.litellm.llms.custom_httpx.http_handler.AsyncHTTPHandler()
        client.client = http
        return client
