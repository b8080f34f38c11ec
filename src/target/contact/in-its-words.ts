import { textAt } from '../../json.ts'
import { shorten } from '../../shorten.ts'
import { createRedactor } from '../../wire/redact.ts'
import { mediaType } from '../../wire/transcript.ts'
import type { Answer } from '../answer.ts'
import { secretsOf, type TargetConfig } from '../config.ts'

const charsMax = 200

/** What an error says in the server's own words, to be added to a sentence: without secrets, short, and empty where there are none. */
export function inItsWords(answer: Answer, config: TargetConfig): string {
  if (mediaType(answer.exchange) === 'text/html') return ' (a web page)'
  // A secret that is cut would not be found.
  const said = createRedactor(secretsOf(config)).text(messageIn(answer)).replace(/\s+/g, ' ').trim()
  return said === '' ? '' : `: "${shorten(said.replace(/\.$/, ''), charsMax)}"`
}

/** The places in which servers put the message of an error; else all that they sent. */
function messageIn({ json, text }: Answer): string {
  const places = [['error', 'message'], ['error'], ['message'], ['detail'], ['title']] as const
  return places.map((place) => textAt(json, ...place)).find((message) => message !== undefined) ?? text
}
