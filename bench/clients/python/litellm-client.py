import os

# Without this it fetches a price list from GitHub when it is imported.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import litellm
from serve import serve

litellm.suppress_debug_info = True


def ask(order, **more):
    messages = [{"role": "user", "content": order["prompt"]}]
    place = {"api_base": order["baseUrl"], "api_key": order["apiKey"]}
    return litellm.completion(model=f"openai/{order['model']}", messages=messages, **place, **more)


def stream(order):
    chunks = ask(order, stream=True)
    try:
        for chunk in chunks:
            yield chunk.choices[0].delta.content if chunk.choices else None
    finally:
        chunks.completion_stream.close()


def list_models(order):
    place = {"api_base": order["baseUrl"], "api_key": order["apiKey"]}
    models = litellm.get_valid_models(check_provider_endpoint=True, custom_llm_provider="openai", **place)
    return [model.removeprefix("openai/") for model in models]


serve(create=lambda order: ask(order).choices[0].message.content, stream=stream, list_models=list_models)
