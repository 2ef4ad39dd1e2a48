import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../scripts/', import.meta.url)

/** One attack; `scripts.test.ts` says how a file is written. */
export interface ScriptFile {
  readonly file: string
  readonly attack: string
  readonly source: string
  /** How the run may end: `exit`, `fail`, an error's code or an HTTP status. */
  readonly ends: readonly string[]
  readonly result?: unknown
  readonly message?: unknown
  readonly error?: RegExp
  readonly place?: readonly [line: number, column: number]
  readonly logs?: unknown
  readonly calls?: number
  readonly payload: string
  readonly options: Readonly<Record<string, unknown>>
  readonly next?: string
  readonly nextResult?: unknown
}

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  ends: text => text.split(' '),
  result: JSON.parse,
  message: JSON.parse,
  error: text => new RegExp(text),
  place: text => text.split(':').map(Number),
  logs: JSON.parse,
  calls: Number,
  payload: text => JSON.stringify(JSON.parse(text)),
  options: JSON.parse,
  source: text => new Function(`return (${text})`)(),
  next: text => text,
  nextResult: JSON.parse,
}

/** All files of `scripts/`; throws at one whose header is not as it must be. */
export function readScriptFiles(): ScriptFile[] {
  const files = readdirSync(folder).filter(name => name.endsWith('.js'))
  return files.map(file => readScriptFile(file, readFileSync(new URL(file, folder), 'utf8')))
}

function readScriptFile(file: string, text: string): ScriptFile {
  const [, attack, header = ''] = /^\/\/ (.+)\n((?:\/\/ \w+: .+\n)+)/.exec(text) ?? []
  const fields = header.split('\n').flatMap(line => {
    const [, key = '', value = ''] = /^\/\/ (\w+): (.+)$/.exec(line) ?? []
    if (line === '') return []
    const read = readers[key]
    if (read === undefined) throw new Error(`${file}: nothing reads the header line \`${key}\``)
    return [[key, read(value)]]
  })
  const script = { source: text, payload: '{}', options: {}, ...Object.fromEntries(fields) }
  if (attack === undefined || script.ends === undefined) throw new Error(`${file} has no header`)
  return { file, attack, ...script }
}
