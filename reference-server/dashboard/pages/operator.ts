import { type Html, html } from '../../../src/markup/html.ts'
import { type Cell, numbers } from '../../../src/markup/table.ts'
import {
  FRAGMENTS_BEFORE_CUT,
  type NodeFault,
  type NodeOrders,
  nodeFaults,
  SLOW_MS,
} from '../../network/ordered-node.ts'
import type { NodeState } from '../../network/registry.ts'
import type { Counters, LiveRequest } from '../../operations/activity.ts'
import { count } from '../figures.ts'
import { dataTable, type Frame, form, type Page } from './layout.ts'

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
<div><dt>Tokens per second</dt><dd data-figure="tokens">–</dd></div><div><dt>Requests since start</dt><dd data-figure="total">${count(counters.requests)}</dd></div></dl>
<div id="chart" role="img" aria-label="Requests and tokens per second over the last two minutes; the figures above show the latest"></div></section>
<section><h2>Models</h2>
<p>Up, down and black hole set the state of all nodes of a model. Down: requests get a 503 with <code>Retry-After</code>. Black hole: requests are taken and never answered.</p>
${dataTable(
  'Models',
  ['Model', 'Now', 'Change'],
  models.map((one) => modelRow(frame, one)),
)}</section>
<section><h2>Nodes</h2>
<p>A fault stays until it is none again. ${Object.entries(faultWords).map(([name, words], at) => html`${at > 0 && ' '}<strong>${name}</strong>: ${words}.`)} A scripted reply is what the node says to every request.</p>
${dataTable(
  'Nodes',
  ['Node', 'Serves', 'State', 'Fault', 'Scripted reply'],
  nodes.map((one) => nodeRow(frame, one)),
)}</section>
<section><h2>Live requests</h2>
<p id="idle"${live.length > 0 && html` hidden`}>None at the moment.</p>
${dataTable('Live requests', ['No.', 'Path', 'Model', 'Key', numbers('Age')], live.map(liveRow))}</section>`
  return { title: 'Network', body, scripts: ['plot.js', 'operator.js'], styles: ['plot.css'] }
}

const states: readonly (readonly [value: NodeState, name: string])[] = [
  ['up', 'up'],
  ['down', 'down'],
  ['blackhole', 'black hole'],
]

const faultWords: Readonly<Record<NodeFault, string>> = {
  refuse: 'takes no connection',
  error: 'answers 500',
  slow: `waits ${SLOW_MS / 1000} s before its reply`,
  cut: `breaks off after ${FRAGMENTS_BEFORE_CUT} fragments`,
}

function modelRow(frame: Frame, { id, isServed }: NetworkState['models'][number]): readonly Cell[] {
  const buttons = states.map(
    ([value, name]) =>
      html`<button name="state" value="${value}" class="quiet" aria-label="Model ${id}: ${name}">${name}</button>`,
  )
  return [
    html`<code>${id}</code>`,
    html`<span data-model="${id}" class="${isServed ? 'up' : 'down'}">${isServed ? 'served' : 'not served'}</span>`,
    form(frame, `/operator/models/${encodeURIComponent(id)}`, html`${buttons}`, `Model ${id}`),
  ]
}

function nodeRow(frame: Frame, { id, models, state, orders }: NodeView): readonly Cell[] {
  const set = (what: string, field: Html): Html =>
    form(
      frame,
      `/operator/nodes/${encodeURIComponent(id)}`,
      html`${field}<button class="quiet" aria-label="Set the ${what} of ${id}">Set</button>`,
      `${what} of ${id}`,
    )
  const options = (values: readonly (readonly [value: string, name: string])[], chosen: string): readonly Html[] =>
    values.map(([value, name]) => html`<option value="${value}"${value === chosen && html` selected`}>${name}</option>`)
  const faults = ['none', ...nodeFaults].map((fault) => [fault, fault] as const)
  return [
    html`<code>${id}</code>`,
    models.join(', '),
    set(
      'state',
      html`<select name="state" data-node="${id}" aria-label="State of ${id}">${options(states, state)}</select>`,
    ),
    set(
      'fault',
      html`<select name="fault" data-node="${id}" aria-label="Fault of ${id}">${options(faults, orders.fault ?? 'none')}</select>`,
    ),
    set(
      'reply',
      html`<input name="script" data-node="${id}" value="${orders.script ?? ''}" maxlength="2000" placeholder="generated text" aria-label="Scripted reply of ${id}">`,
    ),
  ]
}

function liveRow({ number, path, model, keyId, ageMs }: LiveRequest): readonly Cell[] {
  return [
    number,
    html`<code>${path}</code>`,
    model ?? '–',
    html`<code>${keyId ?? '–'}</code>`,
    `${(ageMs / 1000).toFixed(1)} s`,
  ]
}
