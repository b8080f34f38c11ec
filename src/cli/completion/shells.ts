import type { OptionTable } from '../../options/parse.ts'

/** What a shell is told of a command. */
export interface Completable {
  readonly name: string
  readonly summary: string
  readonly options: OptionTable
  /** What stands after the command besides options. */
  readonly operands?: Operands
}

type Operands = 'checks' | 'faults' | readonly string[]

/** What options and operands may be the names of. */
export type Names = Readonly<Record<'checks' | 'faults', readonly string[]>>

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** A command with every word that may follow it and its options. */
interface Known {
  readonly name: string
  readonly summary: string
  readonly operands: readonly string[]
  readonly options: readonly KnownOption[]
}

interface KnownOption {
  readonly flag: string
  readonly about: string
  readonly takesValue: boolean
  readonly isRepeatable: boolean
  /** Empty where any text may follow, which a shell completes with files. */
  readonly values: readonly string[]
}

function knownOf({ name, summary, options, operands = [] }: Completable, names: Names): Known {
  return {
    name,
    summary,
    operands: typeof operands === 'string' ? names[operands] : operands,
    options: Object.entries(options).map(([flag, option]) => ({
      flag,
      about: option.about,
      takesValue: option.kind !== 'flag',
      isRepeatable: option.kind === 'list',
      values: valuesOf(option, names),
    })),
  }
}

function valuesOf(option: OptionTable[string], names: Names): readonly string[] {
  if (option.kind === 'choice') return option.of
  return option.kind === 'list' && option.names !== undefined ? names[option.names] : []
}

/** A text in single quotes, in each of the three shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** The script that makes a shell complete `assay`: to be sourced by bash and zsh, to be piped into `source` by fish. */
export function completionScript(shell: Shell, commands: readonly Completable[], names: Names): string {
  return { bash, zsh, fish }[shell](commands.map((command) => knownOf(command, names)))
}

function bash(commands: readonly Known[]): string {
  const cases = commands.map(({ name, options, operands }) => {
    const named = options.filter(({ values }) => values.length > 0)
    const free = options.filter(({ takesValue, values }) => takesValue && values.length === 0)
    return [
      `    ${name}) case $before in`,
      ...named.map(({ flag, values }) => `      --${flag}) words=${quoted(values.join(' '))} ;;`),
      ...(free.length === 0 ? [] : [`      ${free.map(({ flag }) => `--${flag}`).join('|')}) return ;;`]),
      `      *) words=${quoted([...operands, ...options.map(({ flag }) => `--${flag}`)].join(' '))} ;;`,
      '    esac ;;',
    ].join('\n')
  })
  return [
    '_assay() {',
    `  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words=`,
    // To bash an equals sign is a word of its own.
    `  if [ "$word" = = ]; then word=; elif [ "$before" = = ]; then before=\${COMP_WORDS[COMP_CWORD-2]}; fi`,
    `  case $COMP_CWORD,\${COMP_WORDS[1]} in`,
    `    1,*) words=${quoted([...commands.map(({ name }) => name), '--help', '--version'].join(' '))} ;;`,
    ...cases.map((one) => one.replace(/^ {4}/, '    *,')),
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    '}',
    'complete -o default -F _assay assay',
  ].join('\n')
}

function zsh(commands: readonly Known[]): string {
  const escaped = (text: string): string => text.replace(/[[\]\\:]/g, '\\$&')
  const oneOf = (words: readonly string[]): string =>
    words.length === 0 ? '_files' : `(${words.map(escaped).join(' ')})`
  const cases = commands.map(({ name, options, operands }) => {
    const specs = options.map(({ flag, about, takesValue, isRepeatable, values }) => {
      const value = takesValue ? `:value:${oneOf(values)}` : ''
      return quoted(`${isRepeatable ? '*' : ''}--${flag}${takesValue ? '=' : ''}[${escaped(about)}]${value}`)
    })
    return `    ${name}) _arguments ${[...specs, quoted(`*:name:${oneOf(operands)}`)].join(' ')} ;;`
  })
  return [
    '#compdef assay',
    '_assay() {',
    '  if (( CURRENT == 2 )); then',
    `    local -a names=(${commands.map(({ name, summary }) => quoted(`${name}:${escaped(summary)}`)).join(' ')})`,
    '    _describe command names',
    '    return',
    '  fi',
    '  local name=$words[2]',
    '  shift words',
    '  (( CURRENT-- ))',
    '  case $name in',
    ...cases,
    '  esac',
    '}',
    // The same text may be sourced, or lie in a folder of `fpath`.
    'if [ "$funcstack[1]" = _assay ]; then _assay "$@"; else compdef _assay assay; fi',
  ].join('\n')
}

function fish(commands: readonly Known[]): string {
  const all = commands.map(({ name }) => name).join(' ')
  const lines = commands.flatMap(({ name, summary, options, operands }) => {
    const after = `complete -c assay -n ${quoted(`__fish_seen_subcommand_from ${name}`)}`
    return [
      `complete -c assay -f -n ${quoted(`not __fish_seen_subcommand_from ${all}`)} -a ${name} -d ${quoted(summary)}`,
      ...(operands.length === 0 ? [] : [`${after} -f -a ${quoted(operands.join(' '))}`]),
      ...options.map(({ flag, about, takesValue, values }) => {
        const value = !takesValue ? '' : values.length === 0 ? ' -r' : ` -x -a ${quoted(values.join(' '))}`
        return `${after} -l ${flag}${value} -d ${quoted(about)}`
      }),
    ]
  })
  return lines.join('\n')
}
