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
        last = messages[-1]
        content = last["content"] if isinstance(last, dict) else last.content
        words = re.findall(r"\s*\S+|\s+", content)
        yield from words[:-1]
        # The counts come with the last word, as in its documentation.
        yield {
            "content": words[-1] if words else "",
            "prompt_tokens": sum(len(str(message)) for message in messages),
            "completion_tokens": len(words),
            "total_tokens": sum(len(str(message)) for message in messages) + len(words),
        }


if __name__ == "__main__":
    uvicorn.Config.__init__ = configure_local
    server = litserve.LitServer(Echo(), accelerator="cpu", spec=litserve.OpenAISpec())
    server.run(port=int(sys.argv[1]))
