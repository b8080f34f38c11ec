from langchain_openai import ChatOpenAI
from serve import serve


def model_of(order):
    return ChatOpenAI(model=order["model"], api_key=order["apiKey"], base_url=order["baseUrl"])


def stream(order):
    for chunk in model_of(order).stream(order["prompt"]):
        yield chunk.text if isinstance(chunk.text, str) else chunk.text()


serve(create=lambda order: model_of(order).invoke(order["prompt"]).content, stream=stream)
