import { commandName } from '../../command-name.ts'
import { loadOptions } from '../../options/load.ts'
import { helpOf } from '../../options/parse.ts'
import { formulas } from '../../report/load/report.ts'
import { pagesInFiles, tryOutputs } from '../../report/outputs.ts'
import { startEmbedded } from '../../run/embedded.ts'
import type { Command } from '../command.ts'
import { printHelp } from '../print-help.ts'
import { loadTarget } from './load-target.ts'
import { readLoadSettings, subCommands } from './settings.ts'

/** `assay load`: puts a load on a gateway, judges every stream while it measures it, and measures its own error. */
export const load: Command = {
  help: `${commandName('load')} [options]
${commandName('load')} calibrate    measures this machine's own error
${commandName('load')} join REDIS   makes this machine one of a fleet

${helpOf(loadOptions)}

Metrics, each from the send and from the intended start:
${formulas()}`,
  options: loadOptions,
  operands: subCommands,
  async run(args, io) {
    if (args[0] === 'join') return (await import('./join.ts')).loadJoin.run(args.slice(1), io)
    if (args[0] === 'calibrate') return (await import('./calibrate.ts')).loadCalibrate.run(args.slice(1), io)
    const given = readLoadSettings(args, io.env, io.folder)
    if (given.help) {
      printHelp(load, io)
      return 0
    }
    const settings = { ...given, reports: pagesInFiles(given.reports, io) }
    tryOutputs(settings.reports)
    const { baseUrl, target } = settings
    if (baseUrl !== undefined) return loadTarget({ ...target, baseUrl }, settings, io)
    const embedded = await startEmbedded({ withNodes: false, pace: 'profile' })
    try {
      const { keys, control, ...known } = embedded.known
      const config = {
        ...target,
        ...(control !== undefined && { control }),
        baseUrl: known.baseUrl,
        apiPath: known.apiPath,
        keys: { ...keys, ...target.keys },
      }
      return await loadTarget(config, settings, io)
    } finally {
      await embedded.close()
    }
  },
}
