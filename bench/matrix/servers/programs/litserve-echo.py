"""A LitServe server in the format of chat completions: it repeats the last message, word by word. Its argument is a port."""

import re
import sys

import litserve
import uvicorn

configure = uvicorn.Config.__init__


def configure_local(self, *args, **options):
    """Releases before 0.2.5 listen on every address, and cannot be told another."""
    configure(self, *args, **{**options, "host": "127.0.0.1"})


class Echo(litserve.LitAPI):
    def setup(self, device):
        pass

    def predict(self, asked, context=None):
        # Newer releases hand over the whole request, older ones its messages.
        messages = getattr(asked, "messages", asked)
        options = context or {}
        limit = options.get("max_completion_tokens") or options.get("max_tokens")
        words = re.findall(r"\s*\S+|\s+", until_stop(text_of(messages[-1]), options.get("stop")))[:limit]
        yield from words[:-1]
        prompt = sum(len(text_of(message).split()) for message in messages)
        # The counts come with the last word, as in its documentation.
        yield {
            "content": words[-1] if words else "",
            "prompt_tokens": prompt,
            "completion_tokens": len(words),
            "total_tokens": prompt + len(words),
        }


def text_of(message):
    content = message["content"] if isinstance(message, dict) else message.content
    return content if isinstance(content, str) else ""


def until_stop(text, stop):
    sequences = [stop] if isinstance(stop, str) else stop or []
    return min((text.split(sequence)[0] for sequence in sequences if sequence), key=len, default=text)


if __name__ == "__main__":
    uvicorn.Config.__init__ = configure_local
    server = litserve.LitServer(Echo(), accelerator="cpu", spec=litserve.OpenAISpec())
    server.run(port=int(sys.argv[1]))
