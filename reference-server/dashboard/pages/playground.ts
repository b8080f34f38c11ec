import { type Html, html } from '../../../src/markup/html.ts'
import type { Message } from '../../network/node.ts'
import { type Fields, textOf } from '../fields.ts'
import { type Frame, form, notice, type Page, select } from './layout.ts'

export interface PlaygroundView {
  /** Where the API is, for the snippets. */
  readonly apiUrl: string
  readonly models: readonly string[]
  /** What was chosen and typed. */
  readonly typed: Fields
  /** What was said so far. */
  readonly turns: readonly Message[]
  readonly error?: string
}

/** A chat with a model, charged to the account. With a script replies stream into it; without one each turn loads the page. */
export function playgroundPage(frame: Frame, { apiUrl, models, typed, turns, error }: PlaygroundView): Page {
  const [model = 'small'] = models
  const chosen = textOf(typed, 'model') || model
  const body = html`<p>Each reply is charged to your account as any other. No key is needed.</p>
<ol id="turns" class="turns" aria-live="polite" aria-label="Conversation">${turns.map(({ role, content }) => html`<li class="${role}"><b>${role === 'user' ? 'You' : 'Model'}</b><p>${content}</p></li>`)}</ol>
<p id="state" role="status"></p>${error !== undefined && notice('bad', error)}
${form(
  frame,
  '/playground',
  html`<input type="hidden" name="turns" value="${JSON.stringify(turns)}">
<label>Message <textarea name="message" rows="3" required>${error === undefined && turns.length > 0 ? '' : textOf(typed, 'message') || 'Say hello to the network.'}</textarea></label>
<div class="buttons"><button>Send</button><button type="button" class="quiet" data-stop hidden>Stop</button><a href="${frame.root}/playground">New conversation</a></div>
<details${Object.keys(typed).length > 0 && html` open`}><summary>Model, system message and parameters</summary>
${select(
  'Model',
  'model',
  models.map((id) => [id, id] as const),
  chosen,
)}
<label>System message <textarea name="system" rows="2">${textOf(typed, 'system')}</textarea></label>
<div class="pair">${number(typed, 'temperature', 'Temperature', '0 to 2')}${number(typed, 'top_p', 'Top p', '0 to 1')}${number(typed, 'max_tokens', 'Max tokens', '300')}</div></details>`,
  'Playground',
)}
<section aria-labelledby="code"><h2 id="code">The same from a program</h2>
<p>Put your key in the variable <code>ASSAY_API_KEY</code>.</p>
${snippets(apiUrl, { model: chosen, messages: [{ role: 'user', content: 'Say hello to the network.' }] })}</section>`
  return { title: 'Playground', body, scripts: ['playground.js', 'copy.js'] }
}

function number(typed: Fields, name: string, label: string, hint: string): Html {
  return html`<label>${label} <input name="${name}" inputmode="decimal" value="${textOf(typed, name)}" placeholder="${hint}"></label>`
}

/** The request is JSON, which all three languages read as it is; the script puts what was chosen into its place. */
function snippets(apiUrl: string, request: object): Html {
  const json = JSON.stringify(request, null, 2)
  const place = html`<span data-request>${json}</span>`
  return html`${snippet(
    'curl',
    html`curl -N ${apiUrl}/chat/completions \\
  -H "Authorization: Bearer $ASSAY_API_KEY" -H "Content-Type: application/json" \\
  --data-binary @- &lt;&lt;'END'
<span data-request="stream">${JSON.stringify({ ...request, stream: true }, null, 2)}</span>
END`,
  )}${snippet(
    'JavaScript',
    html`import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${apiUrl}', apiKey: process.env.ASSAY_API_KEY })
const request = ${place}
const stream = await client.chat.completions.create({ ...request, stream: true })
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? '')`,
  )}${snippet(
    'Python',
    html`import os
from openai import OpenAI

client = OpenAI(base_url="${apiUrl}", api_key=os.environ["ASSAY_API_KEY"])
request = ${place}
for chunk in client.chat.completions.create(**request, stream=True):
    if chunk.choices: print(chunk.choices[0].delta.content or "", end="")`,
  )}`
}

function snippet(name: string, code: Html): Html {
  const id = `code-${name.toLowerCase()}`
  return html`<h3>${name}</h3><pre id="${id}" tabindex="0">${code}</pre><button type="button" class="quiet" data-copy="${id}" hidden>Copy the ${name} code</button> <span role="status" data-copied></span>`
}
