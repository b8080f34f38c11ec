import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientsFolder } from '../results.ts'
import type { Seen } from './protocol.ts'
import type { RecordedStream } from './recorded.ts'

/** What one client did in one situation. */
export interface Cell {
  /** `cannot`: the library does not offer it. */
  readonly verdict: 'green' | 'red' | 'cannot'
  /** Why it is red, or what the library does not offer. */
  readonly why?: string
  /** The error that its user sees. */
  readonly error?: string
  /** How many requests the gateway saw of it, and the first of them. */
  readonly asked: number
  readonly requests: readonly Seen[]
}

/** What one client made of a stream that a server once sent. */
export interface DecodedStream {
  readonly server: string
  readonly ending: RecordedStream['ending']
  readonly verdict: 'green' | 'red'
  readonly why?: string
  /** The event that it fails at, counted from 1, and the field that decides it. */
  readonly event?: number
  readonly field?: string
}

/** One client, as it was seen: `results/clients/NAME.json`. */
export interface ExaminedClient {
  readonly name: string
  readonly title: string
  /** ISO 8601. */
  readonly date: string
  /** By situation. */
  readonly cells: Readonly<Record<string, Cell>>
  readonly streams: readonly DecodedStream[]
}

const charsMax = 200

/** What a library said, in a line and without what differs from run to run. */
export const shown = (text: string): string =>
  text
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/\breq_[0-9a-f]+/g, 'req_ID')
    .replaceAll(/\s+/g, ' ')
    .slice(0, charsMax)

/** A line for each situation and stream, so that a change can be read. */
export function writeClient({ cells, streams, ...head }: ExaminedClient): void {
  mkdirSync(clientsFolder, { recursive: true })
  const cellLines = Object.entries(cells).map(([id, cell]) => `"${id}": ${JSON.stringify(cell)}`)
  const streamLines = streams.map((stream) => JSON.stringify(stream))
  const lists = ` "cells": {\n${cellLines.join(',\n')}\n},\n "streams": [\n${streamLines.join(',\n')}\n]`
  const text = `${JSON.stringify(head, null, 1).slice(0, -2)},\n${lists}}\n`
  writeFileSync(join(clientsFolder, `${head.name}.json`), text)
}

export function readClients(): readonly ExaminedClient[] {
  return readdirSync(clientsFolder)
    .sort()
    .map((file) => JSON.parse(readFileSync(join(clientsFolder, file), 'utf8')))
}
