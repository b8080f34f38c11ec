import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm, pip } from '../matrix/server.ts'

/** A client library that somebody else wrote, and the file here that uses it as its users do. */
export interface Client {
  readonly name: string
  /** Its name on the page, with the exact version. */
  readonly title: string
  /** Installs it into its own folder, unless it is installed already, and returns the command that carries out orders. */
  install(folder: string): readonly [string, ...string[]]
}

/** Exact packages; the first is the client. */
type Packages = Readonly<Record<string, string>>

const titleOf = (registry: string, packages: Packages): string => {
  const [[name, version] = ['', '']] = Object.entries(packages)
  return `${name} ${version} (${registry})`
}

/** The sources of its language go into the folder, where they find what is installed. */
const copied = (language: string, folder: string): void =>
  cpSync(join(import.meta.dirname, language), folder, { recursive: true })

function ofNpm(name: string, packages: Packages): Client {
  return {
    name,
    title: titleOf('npm', packages),
    install(folder) {
      npm(folder, packages)
      copied('javascript', folder)
      return [process.execPath, join(folder, `${name}.mjs`)]
    },
  }
}

/** `program` is a command that comes with its packages. */
function ofPypi(name: string, program: string, packages: Packages): Client {
  return {
    name,
    title: titleOf('PyPI', packages),
    install(folder) {
      pip(
        folder,
        program,
        Object.entries(packages).map(([one, version]) => `${one}==${version}`),
      )
      copied('python', folder)
      return [join(folder, 'venv', 'bin', 'python'), join(folder, `${name}.py`)]
    },
  }
}

function ofGo(name: string, module: string, version: string): Client {
  return {
    name,
    title: titleOf('Go', { [module]: version }),
    install(folder) {
      mkdirSync(folder, { recursive: true })
      copied('go', folder)
      const go = (...args: string[]): unknown => execFileSync('go', args, { cwd: folder, stdio: 'inherit' })
      if (!existsSync(join(folder, 'go.mod'))) {
        writeFileSync(join(folder, 'go.mod'), `module clients\n\ngo 1.24\n\nrequire ${module} v${version}\n`)
        go('get', `${module}@v${version}`)
      }
      go('build', '-mod=mod', '-o', 'client', 'serve.go', `${name}.go`)
      return [join(folder, 'client')]
    },
  }
}

function ofCrates(name: string, dependencies: readonly string[]): Client {
  const [, crate = '', version = ''] = /^([\w-]+) = .*?"=([\d.]+)"/.exec(dependencies[0] ?? '') ?? []
  return {
    name,
    title: titleOf('crates.io', { [crate]: version }),
    install(folder) {
      copied('rust', join(folder, 'src'))
      const target = `[[bin]]\nname = "client"\npath = "src/${name}.rs"\n`
      const head = '[package]\nname = "clients"\nversion = "0.0.0"\nedition = "2024"\n'
      writeFileSync(join(folder, 'Cargo.toml'), `${head}\n${target}\n[dependencies]\n${dependencies.join('\n')}\n`)
      execFileSync('cargo', ['build', '--quiet'], { cwd: folder, stdio: 'inherit' })
      return [join(folder, 'target', 'debug', 'client')]
    },
  }
}

const curl: Client = {
  name: 'curl',
  get title() {
    return execFileSync('curl', ['--version'], { encoding: 'utf8' }).split(' ').slice(0, 2).join(' ')
  },
  install: () => [process.execPath, join(import.meta.dirname, 'javascript', 'curl.mjs')],
}

export const clients: readonly Client[] = [
  ofNpm('openai-js', { openai: '7.57.0' }),
  ofNpm('vercel-ai', { ai: '7.0.173', '@ai-sdk/openai-compatible': '3.0.92' }),
  ofNpm('langchain-js', { '@langchain/openai': '1.6.0', '@langchain/core': '1.4.0' }),
  ofNpm('llamaindex-js', { '@llamaindex/openai': '0.4.23', llamaindex: '0.12.1' }),
  ofNpm('openrouter', { '@openrouter/sdk': '1.3.19' }),
  ofNpm('huggingface-js', { '@huggingface/inference': '4.13.30' }),
  ofPypi('openai-python', 'httpx', { openai: '3.54.0' }),
  ofPypi('langchain-python', 'jsonpatch', { 'langchain-openai': '1.7.3' }),
  ofPypi('llamaindex-python', 'nltk', { 'llama-index-llms-openai-like': '0.8.1' }),
  ofPypi('huggingface-python', 'hf', { huggingface_hub: '2.4.0' }),
  ofPypi('litellm-client', 'litellm', { litellm: '1.106.2' }),
  ofGo('openai-go', 'github.com/openai/openai-go/v3', '3.96.0'),
  ofGo('go-openai', 'github.com/sashabaranov/go-openai', '1.43.0'),
  ofCrates('async-openai', [
    'async-openai = { version = "=0.43.0", features = ["chat-completion", "model"] }',
    'futures = "0.3"',
    'serde_json = "1"',
    'tokio = { version = "1", features = ["macros", "rt-multi-thread"] }',
  ]),
  curl,
]
