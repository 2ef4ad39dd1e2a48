import fc from 'fast-check'
import { anyLine, badLine, callMessage, endLine, log } from './messages.ts'
import type { Deed } from './start-taken-over.ts'

/** What a taken-over sandbox says in one run, and what must come of it. */
export interface GeneratedSpeech {
  readonly deeds: readonly Deed[]
  readonly messages: number
  readonly outcome: 'exit' | 'fail' | 'error'
  readonly payload: unknown
  readonly code: string | null
  readonly entries: readonly { readonly level: string; readonly data: readonly unknown[] }[]
  readonly dies: boolean
}

const ready = '{"type":"ready"}'
const first = '{"type":"log","run":"<run>","level":"info","data":"[<pid>]"}'
const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 10, max: 60_000 })), {
  minLength: 3,
  maxLength: 9,
})

// What ours could say as well: the run goes on.
const good = fc
  .array(fc.oneof({ weight: 9, arbitrary: log }, { weight: 1, arbitrary: fc.constant('call' as const) }), {
    minLength: 40,
    maxLength: 120,
    size: 'max',
  })
  .map(parts => {
    let calls = 0
    const entries: GeneratedSpeech['entries'][number][] = []
    const lines: string[] = []
    for (const part of parts) {
      if (part !== 'call') {
        entries.push(part.entry)
        lines.push(JSON.stringify(part.message))
      } else if (calls < 10) {
        calls++
        lines.push(JSON.stringify(callMessage(calls)))
      }
    }
    return { lines, entries }
  })

const goodEnding = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }).map(value => {
    const payload = JSON.stringify(value)
    return {
      said: { kind: 'exit', payload },
      outcome: 'exit' as const,
      payload: JSON.parse(payload) as unknown,
      code: null,
    }
  }),
  fc.string({ unit: 'grapheme' }).map(message => ({
    said: { kind: 'fail', message },
    outcome: 'fail' as const,
    payload: null,
    code: null,
  })),
  fc.constantFrom('SYNTAX', 'RUNTIME', 'NO_OUTCOME', 'RESULT', 'LIMIT').map(code => {
    const error = { code, message: 'm', line: 1, column: 1, stack: null }
    return { said: { kind: 'error', error }, outcome: 'error' as const, payload: null, code }
  }),
)

function tail(userId: number) {
  return fc.array(anyLine(userId), { minLength: 150, maxLength: 400, size: 'max' })
}

const crash = { outcome: 'error' as const, payload: null, code: 'CRASHED' }

/** Speeches of three kinds: with a bad line, with bad lines after a good ending, and good to the end. */
export function generatedSpeech(userId: number): fc.Arbitrary<GeneratedSpeech> {
  const broken = fc
    .tuple(good, badLine, tail(userId), sizes)
    .map(([{ lines, entries }, bad, rest, sizes]) => ({
      ...crash,
      ...spoken([...lines, bad, ...rest], sizes),
      entries,
      dies: true,
    }))
  const brokenBehind = fc
    .tuple(good, goodEnding, fc.boolean(), badLine, tail(userId))
    .map(([{ lines, entries }, { said, ...ending }, saysReady, bad, rest]) => ({
      ...ending,
      // In one piece: who is given the sandbox meanwhile must not be there when it speaks.
      ...spoken([...lines, endLine(said), ...(saysReady ? [ready] : []), bad, ...rest], [1e9]),
      entries,
      dies: true,
    }))
  const clean = fc.tuple(good, goodEnding, sizes).map(([{ lines, entries }, { said, ...ending }, sizes]) => ({
    ...ending,
    ...spoken([...lines, endLine(said), ready], sizes),
    entries,
    dies: false,
  }))
  return fc.oneof(
    { weight: 6, arbitrary: broken },
    { weight: 3, arbitrary: brokenBehind },
    { weight: 1, arbitrary: clean },
  )
}

function spoken(lines: readonly string[], sizes: readonly number[]) {
  const text = [first, ...lines].map(line => `${line}\n`).join('')
  return { deeds: [{ lines: text, sizes }], messages: lines.length + 1 }
}
