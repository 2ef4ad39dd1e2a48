import { pipeline, Readable } from 'node:stream'
import { junit, spec, tap } from 'node:test/reporters'
import { inspect, stripVTControlCharacters } from 'node:util'
import { showControls } from '../../show-controls.ts'
import type { Terminal } from '../frame/terminal.ts'
import type { FoundCase } from './case-file.ts'
import type { Miss } from './judge-case.ts'

/** How a case ended. */
export interface CaseResult {
  readonly found: FoundCase
  readonly misses: readonly Miss[]
  readonly durationMs: number
  /** True if `--update` wrote the actual outcome into the case. */
  readonly isUpdated: boolean
}

export const reporterNames = ['spec', 'tap', 'junit'] as const

export type ReporterName = (typeof reporterNames)[number]

/**
 * Writes the report of cases to stdout as they end, with a reporter of `node:test`. Throws an error of the results. For
 * a person, it names files as they are seen from `folder`.
 */
export async function reportCases(
  name: ReporterName,
  results: AsyncIterable<CaseResult>,
  { terminal, folder }: { readonly terminal: Terminal; readonly folder: string },
): Promise<void> {
  const events = Readable.from(toEvents(results))
  const isPlain = terminal.style('red', 'x') === 'x'
  for await (const part of render(name, events, folder)) {
    const text = String(part)
    if (name === 'junit') terminal.write(showControls(text, true).replace(/[\ufffe\uffff]|]]>/g, escapeXml))
    else if (name === 'tap') terminal.write(showControls(text, true))
    // This reporter looks at stderr for its colours.
    else terminal.write(isPlain ? stripVTControlCharacters(text) : text)
  }
}

// The reporter of `node:test` does not escape what XML forbids in a text.
function escapeXml(text: string): string {
  return text === ']]>' ? ']]&gt;' : `\\u${text.charCodeAt(0).toString(16)}`
}

function render(name: ReporterName, events: Readable, folder: string): AsyncIterable<unknown> {
  switch (name) {
    case 'spec':
      // Passes an error of the events on to the reader, which `pipe` does not.
      return pipeline(events, createSpec(folder), () => {})
    case 'tap':
      return tap(events as never)
    case 'junit':
      return junit(events as never)
    default:
      return name satisfies never
  }
}

// The reporter names files as they are seen from the folder of the process in which it is made. npm runs its scripts in
// the repository.
function createSpec(folder: string): InstanceType<typeof spec> {
  const before = process.cwd()
  process.chdir(folder)
  try {
    return new spec()
  } finally {
    process.chdir(before)
  }
}

// The events of a runner of `node:test`, for tests of one level.
async function* toEvents(results: AsyncIterable<CaseResult>) {
  const startedAt = performance.now()
  let [passed, failed, testNumber] = [0, 0, 0]
  for await (const { found, misses, durationMs, isUpdated } of results) {
    testNumber++
    const { file } = found
    const name = showControls(found.name)
    const place = { name, nesting: 0, testNumber, file, line: 1, column: 1 }
    yield { type: 'test:start', data: place }
    const details = { duration_ms: durationMs, type: 'test' }
    if (misses.length === 0) {
      passed++
      yield { type: 'test:pass', data: { ...place, details } }
      if (isUpdated)
        yield { type: 'test:diagnostic', data: { ...place, message: `updated ${file}`, level: 'info' } }
    } else {
      failed++
      yield { type: 'test:fail', data: { ...place, details: { ...details, error: new CaseError(misses) } } }
    }
  }
  yield { type: 'test:plan', data: { nesting: 0, count: testNumber } }
  const counts = { tests: testNumber, pass: passed, fail: failed, duration_ms: performance.now() - startedAt }
  for (const [name, value] of Object.entries(counts))
    yield { type: 'test:diagnostic', data: { nesting: 0, message: `${name} ${value}`, level: 'info' } }
}

/** An error of a test, as `node:test` makes them, without a stack. It shows what was expected. */
class CaseError extends Error {
  readonly code = 'ERR_TEST_FAILURE'
  readonly failureType = 'testCodeFailure'

  constructor(misses: readonly Miss[]) {
    super(misses.map(describeMiss).join('\n'))
    const [{ expected, actual } = {}] = misses
    const { message } = this
    this.stack = message
    const cause = Object.assign(new Error(message), { expected, actual, [inspect.custom]: () => message })
    // Where this was made says nothing about the script.
    cause.stack = ''
    this.cause = cause
  }
}

function describeMiss({ of, expected, actual, ending }: Miss): string {
  const said = ending === null ? '' : `\n  because:  ${showControls(ending)}`
  return `${of} differs\n  expected: ${show(expected)}\n  actual:   ${show(actual)}${said}`
}

// JSON leaves some control characters as they are.
const show = (value: unknown) => showControls(String(JSON.stringify(value)))
