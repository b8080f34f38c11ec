from openai import OpenAI
from serve import serve


def client_of(order):
    return OpenAI(base_url=order["baseUrl"], api_key=order["apiKey"])


def ask(order, **more):
    messages = [{"role": "user", "content": order["prompt"]}]
    return client_of(order).chat.completions.create(model=order["model"], messages=messages, **more)


def stream(order):
    with ask(order, stream=True) as chunks:
        for chunk in chunks:
            yield chunk.choices[0].delta.content if chunk.choices else None


serve(
    list_models=lambda order: [model.id for model in client_of(order).models.list()],
    create=lambda order: ask(order).choices[0].message.content,
    stream=stream,
)
