export interface Series {
  readonly name: string
  readonly points: readonly (readonly [x: number, y: number])[]
  /** Shown in red: any of it is bad. */
  readonly isBad?: boolean
}

export interface Chart {
  readonly title: string
  readonly x: string
  readonly y: string
  /** At most four. */
  readonly series: readonly Series[]
  /** `columns`: each point is a column that reaches to the next one, and the series stand upon each other. */
  readonly form?: 'lines' | 'columns'
  /** A logarithmic x axis. */
  readonly logX?: boolean
  /** A value of x in words; its number and the name of the axis if absent. */
  readonly sayX?: (x: number) => string
  /** Labels on the x axis instead of numbers. */
  readonly ticksX?: readonly (readonly [x: number, label: string])[]
  /** Values of y to stay below or above, such as an objective. */
  readonly bounds?: readonly { readonly at: number; readonly label: string }[]
  /** Places on the x axis to point out. */
  readonly marks?: readonly { readonly at: number; readonly label: string }[]
  /** What to know before reading it. */
  readonly note?: string
  readonly isWhole?: boolean
}
