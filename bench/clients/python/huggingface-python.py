from huggingface_hub import InferenceClient
from serve import serve


def ask(client, order, **more):
    messages = [{"role": "user", "content": order["prompt"]}]
    return client.chat_completion(messages, model=order["model"], **more)


def client_of(order):
    return InferenceClient(base_url=order["baseUrl"], api_key=order["apiKey"])


def stream(order):
    # A stream ends when its client is collected, so the client needs a name.
    client = client_of(order)
    for chunk in ask(client, order, stream=True):
        yield chunk.choices[0].delta.content if chunk.choices else None


serve(create=lambda order: ask(client_of(order), order).choices[0].message.content, stream=stream)
