/** A terminal, as far as a line that is rewritten needs to know it. */
export interface Screen {
  write(text: string): unknown
  readonly columns?: number
}

/** The last line of a terminal: rewritten while something is under way, and never wider than the terminal. */
export interface LiveLine {
  show(text: string): void
  /** A line that stays, above it. */
  keep(line: string): void
  end(): void
}

const clear = '\r\u001b[2K'
const columnsUsual = 80

export function createLiveLine(screen: Screen): LiveLine {
  let shown = ''
  const draw = (): void => {
    // A terminal wraps once its last column is written.
    const most = (screen.columns ?? columnsUsual) - 1
    screen.write(clear + (shown.length > most ? `${shown.slice(0, most - 1)}…` : shown))
  }
  return {
    show(text) {
      shown = text
      draw()
    },
    keep(line) {
      screen.write(`${clear}${line}\n`)
      draw()
    },
    end() {
      shown = ''
      screen.write(clear)
    },
  }
}
