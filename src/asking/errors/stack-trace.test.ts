import { expect, test } from 'vitest'
import { stackFrameIn } from './stack-trace.ts'

test.each([
  ['Node.js', 'Error: refused\n    at validate (/srv/gateway/server.js:41:7)'],
  ['Java', 'at com.example.Gateway.serve(Gateway.java:112)'],
  ['Python', 'Traceback (most recent call last)'],
  ['Python, one frame', 'File "/srv/llama_cpp/server/app.py", line 376, in create_chat_completion'],
  ['Go', 'goroutine 18 [running]:'],
  ['Go, one frame', '/srv/gateway/main.go:88 +0x1d'],
  ['Rust', "thread 'tokio-runtime-worker' panicked at src/router.rs:12:5:"],
  ['Rust, a place', 'called `Result::unwrap()` on an `Err` value at src/router.rs:12:5'],
  ['Ruby', "app/models/key.rb:12:in `find_by!'"],
  ['Ruby 3.4', "app/models/key.rb:12:in 'Key.find_by!'"],
  ['.NET', 'at Gateway.Chat.Post(Request request) in /src/Gateway/Chat.cs:line 42'],
  ['.NET without files', 'Failed.\n   at Microsoft.AspNetCore.Routing.EndpointMiddleware.Invoke(HttpContext context)'],
  ['PHP', '#0 /var/www/index.php(12): serve()'],
  ['PHP, a warning', 'Undefined index: model in /var/www/chat.php on line 12'],
  ['PHP, as JSON', '{"message":"Undefined","file":"/var/www/chat.php","line":12}'],
])('the frames of %s are known, as text and inside JSON', (_, text) => {
  expect(stackFrameIn(text)).toBeDefined()
  expect(stackFrameIn(JSON.stringify({ error: { message: text } }))).toBeDefined()
})

test.each([
  'messages.0.role: field required',
  'Invalid JSON at line 1, column 12.',
  'expected value at line 1 column 12',
  'temperature must be at most 2 (see https://example.com/docs/errors.php)',
  'The model gpt-4.rs does not exist at this service.',
  'Panic is not an error; look at Errors.md.',
  "{'loc': ('body', 'messages'), 'msg': 'field required', 'type': 'value_error.missing'}",
])('%s is no stack trace', (text) => {
  expect(stackFrameIn(text)).toBeUndefined()
})
