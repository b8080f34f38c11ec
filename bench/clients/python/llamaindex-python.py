from llama_index.core.llms import ChatMessage
from llama_index.llms.openai_like import OpenAILike
from serve import serve


def model_of(order):
    return OpenAILike(model=order["model"], api_base=order["baseUrl"], api_key=order["apiKey"], is_chat_model=True)


def messages_of(order):
    return [ChatMessage(role="user", content=order["prompt"])]


def stream(order):
    for chunk in model_of(order).stream_chat(messages_of(order)):
        yield chunk.delta


serve(create=lambda order: model_of(order).chat(messages_of(order)).message.content, stream=stream)
