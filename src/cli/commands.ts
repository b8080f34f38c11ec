import type { Command } from './command.ts'

export interface CommandEntry {
  /** What it is for, as `assay --help` and the documentation say it. */
  readonly summary: string
  /** Loads it only when it is called, so that `--version` prints at once. */
  load(): Promise<Command>
}

/** Every command of `assay`, in the order in which they are listed. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  conformance: {
    summary: 'test a gateway against the contract, clause by clause',
    async load() {
      // The checks are loaded by their own thread at the same time.
      ;(await import('../run/runner.ts')).startRunner()
      return (await import('./conformance.ts')).conformance
    },
  },
  load: {
    summary: 'measure how fast a gateway streams, and check every stream',
    load: async () => (await import('./load/load.ts')).load,
  },
  gateway: { summary: 'run the reference gateway', load: async () => (await import('./gateway/gateway.ts')).gateway },
  node: { summary: 'run an operator node', load: async () => (await import('./node.ts')).node },
  init: {
    summary: 'find a gateway and write a profile, a CI file and its known failures',
    load: async () => (await import('./init/init.ts')).init,
  },
  list: {
    summary: 'print clauses, statements and checks, and what no check covers',
    load: async () => (await import('./list.ts')).list,
  },
  explain: {
    summary: 'say what a check asks, why, how it is proven, and how to fix a failure',
    load: async () => (await import('./explain.ts')).explain,
  },
  faults: {
    summary: 'list the broken and the unusual gateways that the checks are tested on',
    load: async () => (await import('./faults.ts')).faultsCommand,
  },
  replay: {
    summary: 'run one check again from its evidence',
    load: async () => (await import('./replay.ts')).replay,
  },
  report: {
    summary: 'render a finished run in other formats',
    load: async () => (await import('./report.ts')).report,
  },
  verify: {
    summary: 'recompute the verdicts of a run from its evidence',
    load: async () => (await import('./verify.ts')).verify,
  },
  compare: {
    summary: 'compare two runs: verdicts, observations, load figures',
    load: async () => (await import('./compare.ts')).compare,
  },
  completion: {
    summary: 'print what makes bash, zsh or fish complete commands and options',
    load: async () => (await import('./completion/completion.ts')).completionOf(commands),
  },
  detection: {
    summary: 'test the checks themselves: what they catch, and what they wrongly fail',
    load: async () => (await import('./detection.ts')).detection,
  },
}
