import json
import sys


def serve(create, stream, list_models=None):
    """Carries out orders from standard input with a library. A stream is left as its users leave it."""
    for line in sys.stdin:
        order = json.loads(line)
        got = {}
        try:
            if order["do"] == "list":
                got = {"models": list_models(order)} if list_models else {"cannot": "it lists no models"}
            elif order["do"] == "create":
                got["text"] = create(order)
            else:
                read(stream(order), got, 1 if order["do"] == "abort" else None)
        except Exception as error:
            got["error"] = f"{type(error).__name__}: {error}"
            got["status"] = status_of(error)
        print(json.dumps(got), flush=True)


def read(pieces, got, most):
    got.update(text="", pieces=0)
    for piece in pieces:
        if not piece:
            continue
        got["text"] += piece
        got["pieces"] += 1
        if got["pieces"] == most:
            pieces.close()
            return


def status_of(error):
    """Libraries put the status of an answer on the error or on its response."""
    status = getattr(error, "status_code", None)
    return status if status is not None else getattr(getattr(error, "response", None), "status_code", None)
