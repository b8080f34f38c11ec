import { type NodeOrders, nodeFaults } from '../../network/ordered-node.ts'
import type { NodeState } from '../../network/registry.ts'
import type { Counters, LiveRequest } from '../../operations/activity.ts'
import { html, type Markup } from '../html.ts'
import { type Frame, form, type Page, table } from './layout.ts'

/** What an operator sees, updated once a second. */
export interface NetworkState {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly nodes: readonly NodeView[]
  readonly models: readonly { readonly id: string; readonly isServed: boolean }[]
  readonly live: readonly LiveRequest[]
  readonly counters: Counters
}

interface NodeView {
  readonly id: string
  readonly models: readonly string[]
  readonly state: NodeState
  readonly orders: NodeOrders
}

/** The forms work without a script; with one, the page is not reloaded. */
export function operatorPage(frame: Frame, { nodes, models, live, counters }: NetworkState): Page {
  const body = html`<p id="connection" role="status"></p>
<section><h2>Now</h2>
<dl class="figures"><div><dt>In flight</dt><dd data-figure="live">${live.length}</dd></div><div><dt>Requests per second</dt><dd data-figure="requests">–</dd></div>
<div><dt>Tokens per second</dt><dd data-figure="tokens">–</dd></div><div><dt>Requests since start</dt><dd data-figure="total">${counters.requests}</dd></div></dl>
<div id="chart" role="img" aria-label="Requests and tokens per second over the last two minutes; the figures above show the latest"></div></section>
<section><h2>Models</h2>
${table(
  'Models',
  ['Model', 'Now', 'Change'],
  models.map((one) => modelRow(frame, one)),
)}</section>
<section><h2>Nodes</h2>
${table(
  'Nodes',
  ['Node', 'Serves', 'State', 'Fault', 'Says'],
  nodes.map((one) => nodeRow(frame, one)),
)}</section>
<section><h2>Live requests</h2>
${table('Live requests', ['No.', 'Path', 'Model', 'Key', 'Age'], live.map(liveRow))}</section>`
  return { title: 'Network', body, scripts: ['plot.js', 'operator.js'], styles: ['plot.css'] }
}

function modelRow(frame: Frame, { id, isServed }: NetworkState['models'][number]): Markup {
  return html`<tr data-model="${id}"><th scope="row"><code>${id}</code></th><td><span class="${isServed ? 'up' : 'down'}">${isServed ? 'served' : 'not served'}</span></td>
<td>${form(
    frame,
    `/operator/models/${encodeURIComponent(id)}`,
    html`<div class="buttons">${(['up', 'down', 'blackhole'] as const).map((state) => html`<button name="state" value="${state}" class="quiet" aria-label="Model ${id}: ${state}">${state}</button>`)}</div>`,
    `Model ${id}`,
  )}</td></tr>`
}

function nodeRow(frame: Frame, { id, models, state, orders }: NodeView): Markup {
  const to = `/operator/nodes/${encodeURIComponent(id)}`
  const faults = ['none', ...nodeFaults].map(
    (fault) => html`<option${(orders.fault ?? 'none') === fault && html` selected`}>${fault}</option>`,
  )
  return html`<tr data-node="${id}"><th scope="row"><code>${id}</code></th><td>${models.join(', ')}</td>
<td>${form(frame, to, html`<select name="state" aria-label="State of ${id}">${(['up', 'down', 'blackhole'] as const).map((one) => html`<option${one === state && html` selected`}>${one}</option>`)}</select><button class="quiet" aria-label="Set the state of ${id}">Set</button>`, `State of ${id}`)}</td>
<td>${form(frame, to, html`<select name="fault" aria-label="Fault of ${id}">${faults}</select><button class="quiet" aria-label="Set the fault of ${id}">Set</button>`, `Fault of ${id}`)}</td>
<td>${form(frame, to, html`<input name="script" value="${orders.script ?? ''}" maxlength="2000" placeholder="its own words" aria-label="What ${id} says"><button class="quiet" aria-label="Set what ${id} says">Set</button>`, `Text of ${id}`)}</td></tr>`
}

function liveRow({ number, path, model, keyId, ageMs }: LiveRequest): Markup {
  return html`<tr><th scope="row">${number}</th><td><code>${path}</code></td><td>${model ?? '–'}</td><td><code>${keyId ?? '–'}</code></td><td>${(ageMs / 1000).toFixed(1)} s</td></tr>`
}
