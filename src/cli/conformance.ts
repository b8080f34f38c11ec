import { checks } from '../../suites/index.ts'
import { commandName } from '../command-name.ts'
import { countOf, spacedCountOf } from '../count.ts'
import { conformanceOptions } from '../options/conformance.ts'
import { helpOf } from '../options/parse.ts'
import { pagesInFiles } from '../report/outputs.ts'
import { deliver, tryDelivery } from '../run/deliver.ts'
import { run } from '../run/run.ts'
import { readSettings } from '../run/settings.ts'
import type { Command, ExitCode } from './command.ts'
import { renderChecks } from './list.ts'
import { printHelp } from './print-help.ts'
import { createProgress } from './progress/progress.ts'
import { stopOnSignal } from './signals.ts'

/** `assay conformance`: tests a gateway against the contract and reports, clause by clause. */
export const conformance: Command = {
  help: `${commandName('conformance')} [options]\n\n${helpOf(conformanceOptions)}`,
  options: conformanceOptions,
  async run(args, io) {
    const { plan, delivery: asked, list, help } = readSettings(args, io.env, io.folder)
    if (help) {
      printHelp(conformance, io)
      return 0
    }
    if (list) {
      const selected = checks.filter(({ id }) => plan.selected.includes(id))
      io.out(renderChecks(selected))
      return 0
    }
    const delivery = { ...asked, reports: pagesInFiles(asked.reports, io) }
    // Who watched every check end need not read it again below.
    const isShown = io.live && io.terminal && !delivery.quiet
    tryDelivery(delivery, io.err)
    const progress = createProgress(plan.selected.length, io, delivery)
    const stopping = stopOnSignal(io, 'what is open is undone first')
    stopping.signal.addEventListener('abort', progress.end)
    const report = await run(plan, {
      thread: 'own',
      signal: stopping.signal,
      prepared({ baseUrl, apiPath }, { tokens, usd }, notices) {
        if (delivery.quiet) return
        const price = usd === null ? 'price not listed' : `$${usd.toFixed(4)}`
        // Those cost nobody anything, and nothing limits them.
        const besides = plan.nodes === undefined ? '' : ' besides those of its own nodes'
        const name = plan.baseUrl === undefined ? 'the embedded reference gateway' : baseUrl + apiPath
        io.err(
          `${countOf(plan.selected.length, 'check')} against ${name}; at most ${spacedCountOf(tokens, 'token')}${besides}, ${price}; seed ${plan.randomness.seed}`,
        )
        for (const notice of notices) io.err(notice)
      },
      result(result) {
        if (!stopping.signal.aborted) progress.show(result)
      },
      open: stopping.note,
      notice: io.err,
    }).finally(() => progress.end())
    const isDelivered = deliver(report, { ...delivery, verbose: delivery.verbose && !isShown }, io)
    const exitCode = report.gate.exitCode as ExitCode
    // Whoever waits for a file must not take its absence for a pass.
    return exitCode === 0 && !isDelivered ? 4 : exitCode
  },
}
