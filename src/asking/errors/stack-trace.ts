/** What a frame of a stack trace looks like, by what writes it. Inside JSON, quotes and line breaks may be escaped. */
const frames: Readonly<Record<string, RegExp>> = {
  'Node.js, Java and Kotlin': /\bat .+\.(?:[cm]?[jt]s|java|kt):\d+/,
  Python: /Traceback \(most recent call last\)|File \\?"[^"\\]+\.py\\?", line \d+/,
  Go: /goroutine \d+ \[|\.go:\d+ \+0x/,
  Rust: /\bpanicked at\b|[\w/\\.-]+\.rs:\d+:\d+/,
  Ruby: /[\w/\\.-]+\.rb:\d+:in [`']/,
  '.NET': /\bin .+\.(?:cs|fs|vb):line \d+|(?:^|\n|\\n)\s*at [A-Z]\w*(?:\.[\w`<>]+)+\(/,
  PHP: /#\d+ \S+\.php\(\d+\)|\.php(?: on line |:)\d+|\.php\\?",\s*\\?"line\\?":\s*\d+/,
}

/** The first frame of a stack trace in a text; undefined if there is none. */
export function stackFrameIn(text: string): string | undefined {
  for (const frame of Object.values(frames)) {
    const found = frame.exec(text)?.[0]
    if (found !== undefined) return found.trim()
  }
  return undefined
}
