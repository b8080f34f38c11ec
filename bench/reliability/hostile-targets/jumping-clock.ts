/** Preloaded into a command: its calendar jumps back and forth by up to a year, ten times a second. */
const Real = Date
const yearMs = 365 * 86_400_000
let shiftMs = 0
setInterval(() => {
  shiftMs = (Math.random() * 2 - 1) * yearMs
}, 100).unref()

globalThis.Date = new Proxy(Real, {
  construct: (_, given) => (given.length === 0 ? new Real(Real.now() + shiftMs) : Reflect.construct(Real, given)),
  get: (_, name) => (name === 'now' ? () => Math.floor(Real.now() + shiftMs) : Reflect.get(Real, name)),
})
