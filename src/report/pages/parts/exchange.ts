import type { Failure } from '../../../check/verdict.ts'
import { countOf } from '../../../count.ts'
import { type Html, html } from '../../../markup/html.ts'
import { shorten } from '../../../shorten.ts'
import { bodyText, type RecordedExchange } from '../../../wire/recorded-exchange.ts'
import type { Omission } from '../../../wire/transcript.ts'
import { excerptAround } from '../../excerpt.ts'
import { copyable } from './copyable.ts'
import { folded } from './page.ts'
import { type Piece, piecesOf } from './pieces.ts'
import { strip } from './strip.ts'

const bodyCharsMax = 4000
const requestCharsMax = 2000
const pieceCharsMax = 400
const curlCharsMax = 4000
const headersCharsMax = 2000
/** How many pieces are shown on either side of the place of the failure, or at either end of the body. */
const around = 8

type Place = Pick<Failure, 'what' | 'actual'>

/** An exchange: what was sent, when the bytes of the answer came, and what they say, with the place of the failure marked. */
export function exchangeView(exchange: RecordedExchange, failure: Place): Html {
  const { request, answer, curl } = exchange
  const body = bodyText(answer?.body)
  const { before, marked } = excerptAround(body, failure, body.length)
  const pieces = piecesOf(exchange) ?? []
  const [from, to] = marked === '' ? [-1, -1] : [before.length, before.length + marked.length]
  const places = pieces.flatMap(({ start, text }, index) => (start < to && start + text.length > from ? [index] : []))
  const sent = bodyText(request.body).slice(0, requestCharsMax)
  return html`<p><code>${lineOf(exchange)}</code></p>
${folded('Request', html`<pre tabindex="0">${headersIn(request.headers)}${sent !== '' && `\n\n${sent}`}</pre>`)}
${answer !== undefined && folded('Headers of the answer', html`<pre tabindex="0">${headersIn(answer.headers)}</pre>`)}
${strip(
  exchange,
  places.flatMap((place) => pieces[place]?.arrival ?? []),
)}
${answer?.omitted !== undefined && html`<p class="dim">${omissionIn(answer.omitted)}</p>`}
${pieces.length > 2 ? timeline(pieces, places, exchange, { from, to }) : excerpt(body, failure)}
${curl.length <= curlCharsMax ? html`<p>Send it again:</p>${copyable(curl)}` : html`<p class="dim">The request is too long to be shown as a curl line.</p>`}`
}

/** An exchange in a line. */
export function lineOf({ request, answer, ending, endedAtMs, problem }: RecordedExchange): string {
  const head = answer === undefined ? 'no answer' : `HTTP ${answer.status} after ${answer.headMs} ms`
  const path = URL.parse(request.url)?.pathname ?? request.url
  return `${request.method} ${path} → ${head}; ${ending} after ${endedAtMs} ms${problem === undefined ? '' : ` (${problem})`}`
}

function headersIn(headers: RecordedExchange['request']['headers']): string {
  const text = headers.map(([name, value]) => `${name}: ${value}`).join('\n')
  return shorten(text, headersCharsMax)
}

function omissionIn({ after, bytes, sha256 }: Omission): string {
  return `${countOf(bytes, 'byte')} after the first ${after} are not in this record; SHA-256 of the whole body: ${sha256}`
}

function excerpt(body: string, failure: Place): Html {
  const { before, marked, after } = excerptAround(body, failure, bodyCharsMax)
  if (before + marked === '') return html``
  return html`<pre tabindex="0">${before}${marked !== '' && html`<mark>${marked}</mark>`}${after}</pre>`
}

interface Marked {
  readonly from: number
  readonly to: number
}

function timeline(
  pieces: readonly Piece[],
  places: readonly number[],
  { ending, endedAtMs, problem }: RecordedExchange,
  marked: Marked,
): Html {
  const [first] = places
  const isShown = (index: number): boolean =>
    first === undefined
      ? index < around || index >= pieces.length - around
      : index >= first - around && index <= first + around
  const rows: Html[] = []
  let hidden = 0
  const flush = (): void => {
    if (hidden > 0) rows.push(html`<li class="between">${countOf(hidden, 'piece')} more</li>`)
    hidden = 0
  }
  for (const [index, piece] of pieces.entries()) {
    if (isShown(index)) {
      flush()
      rows.push(row(piece, places.includes(index), marked))
    } else hidden += 1
  }
  flush()
  return html`<ol class="pieces">${rows}<li><span class="when">${endedAtMs} ms</span><span class="size"></span><span class="text dim">${ending}${problem !== undefined && `: ${problem}`}</span></li></ol>`
}

function row({ atMs, bytes, start, text }: Piece, isPlace: boolean, { from, to }: Marked): Html {
  const place = isPlace && html` class="place"`
  const [left, right] = isPlace ? [Math.max(0, from - start), Math.max(0, to - start)] : [0, 0]
  const said = isPlace
    ? html`${ends(text.slice(0, left), 'last')}<mark>${ends(text.slice(left, right), 'first')}</mark>${ends(text.slice(right), 'first')}`
    : html`${ends(text, 'first')}`
  return html`<li${place}><span class="when">${atMs} ms</span><span class="size">${bytes} B</span><span class="text">${said}</span></li>`
}

/** One end of a text, with its line ends visible. */
function ends(text: string, which: 'first' | 'last'): Html {
  if (text.length <= pieceCharsMax) return withLineEnds(text)
  return which === 'first'
    ? html`${withLineEnds(text.slice(0, pieceCharsMax))}…`
    : html`…${withLineEnds(text.slice(-pieceCharsMax))}`
}

/** CR and LF by their names: not every font has their pictures. */
function withLineEnds(text: string): Html {
  const parts = text.split(/([\r\n])/)
  return html`${parts.map((part) => (part === '\r' ? html`<i>CR</i>` : part === '\n' ? html`<i>LF</i>` : html`${part}`))}`
}
