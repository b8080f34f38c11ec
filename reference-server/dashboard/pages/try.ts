import { type Html, html } from '../../../src/markup/html.ts'
import { type Frame, form, notice, type Page } from './layout.ts'

export interface TryView {
  /** Where the API is, for the snippets. */
  readonly apiUrl: string
  readonly models: readonly string[]
}

/** A page that streams one completion. Its owner types the key, which is kept nowhere. */
export function tryPage(frame: Frame, { apiUrl, models }: TryView): Page {
  const [model = 'small'] = models
  const body = html`<noscript>${notice('note', 'Streaming into this page needs JavaScript; the snippets below do not.')}</noscript>
${form(
  frame,
  '/try',
  html`<label>Model <select name="model">${models.map((id) => html`<option>${id}</option>`)}</select></label>
<label>Message <textarea name="message" rows="3" required>Say hello to the network.</textarea></label>
<label>Key <input type="password" name="key" autocomplete="off" placeholder="sk-…" required aria-describedby="key-note"><small id="key-note">It is sent only with this request and stored nowhere.</small></label>
<button>Stream a completion</button>`,
  'Try it',
)}
<section aria-labelledby="reply"><h2 id="reply">Reply</h2><pre id="out" aria-live="polite" tabindex="0"></pre><p id="state" role="status"></p></section>
<section aria-labelledby="code"><h2 id="code">The same from a program</h2>
<p>Put your key in the variable <code>ASSAY_API_KEY</code>.</p>
${snippet('curl', curl(apiUrl, model))}${snippet('JavaScript', javascript(apiUrl, model))}${snippet('Python', python(apiUrl, model))}</section>`
  return { title: 'Try it', body, scripts: ['try.js', 'copy.js'] }
}

function snippet(name: string, code: string): Html {
  const id = `code-${name.toLowerCase()}`
  return html`<h3>${name}</h3><pre id="${id}" tabindex="0">${code}</pre><button type="button" class="quiet" data-copy="${id}" hidden>Copy the ${name} code</button> <span role="status" data-copied></span>`
}

function curl(apiUrl: string, model: string): string {
  return `curl -N ${apiUrl}/chat/completions \\
  -H "Authorization: Bearer $ASSAY_API_KEY" -H "Content-Type: application/json" \\
  -d '{"model":"${model}","stream":true,"messages":[{"role":"user","content":"Say hello to the network."}]}'`
}

function javascript(apiUrl: string, model: string): string {
  return `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${apiUrl}', apiKey: process.env.ASSAY_API_KEY })
const messages = [{ role: 'user', content: 'Say hello to the network.' }]
const stream = await client.chat.completions.create({ model: '${model}', messages, stream: true })
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? '')`
}

function python(apiUrl: string, model: string): string {
  return `import os
from openai import OpenAI

client = OpenAI(base_url="${apiUrl}", api_key=os.environ["ASSAY_API_KEY"])
messages = [{"role": "user", "content": "Say hello to the network."}]
for chunk in client.chat.completions.create(model="${model}", messages=messages, stream=True):
    if chunk.choices: print(chunk.choices[0].delta.content or "", end="")`
}
