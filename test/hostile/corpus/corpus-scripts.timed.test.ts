// Every script of the corpus against the real server, and each of its expectations checked. To add a case to the
// corpus, add a line to `corpus-3.jsonl`: `expect` may hold the keys of `checks` in `corpus-expectations.ts`, `input`
// the fields of the endpoint (one that ends in `Js` is an expression that makes it), or a `sequence` of runs by the
// accounts A and B, of which the last one's answers must be as expected. A case of our own is easier written as a file
// of `scripts/`.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { watchPeakMemory } from '../neighbours/peak-memory.ts'
import { type Door, doorsOf, type ScriptAnswer, type ScriptInput } from '../running-scripts/script-doors.ts'
import { type AccountName, type ScriptStage, startScriptStage } from '../running-scripts/script-stage.ts'
import { checkExpectation, mustRunAlone, type Seen } from './corpus-expectations.ts'
import {
  type CorpusLine,
  type Expectation,
  evaluateFields,
  fillPlaceholders,
  readCorpusLines,
  type ScriptStep,
} from './corpus-lines.ts'

// Where corpus and contract disagree the contract holds: what is expected instead. `undefined` takes a key away.
const contractHolds: Readonly<Record<string, { reason: string; instead: Expectation }>> = {
  'src-001': { reason: 'source code past 256 KiB is refused', instead: { outcome: ['http/413'] } },
  'src-002': { reason: 'source code past 256 KiB is refused', instead: { outcome: ['http/413'] } },
  'src-004': { reason: 'source code past 256 KiB is refused', instead: { outcome: ['http/413'] } },
  'cpu-007': {
    reason: 'with nothing pending the end is found at once',
    instead: { outcome: ['error/NO_OUTCOME'], maxMs: 1_500 },
  },
  'leak-007': {
    reason: 'fifty million turns may take more than the processor time of a run',
    instead: { outcome: ['exit', 'error/TIMEOUT'] },
  },
  'red-001': { reason: 'account A is called alpha here', instead: { result: 'alpha' } },
  'red-073': { reason: 'account A is called alpha here', instead: { result: 'alpha' } },
  'flood-004': { reason: 'ten calls may go at once', instead: { maxConcurrentUpstream: 10 } },
  'cap-009': {
    reason: 'the caller of a function is the script itself, whose text reads as native code (red-032)',
    instead: { result: false },
  },
  'cap-026': {
    reason: '`console` goes to the log: as the data of one record, and nowhere else',
    instead: {
      outcome: ['exit'],
      hostStdoutMustNotContain: undefined,
      hostLogLines: 1,
      logs: [['CANARY-CONSOLE']],
    },
  },
}

const usualCpuMs = 1_000
const shortCpuMs = 200
// Most of these only compute until they are ended. They get less processor time, and as much less time to end.
const computing = ['cpu', 'native']

const lines = readCorpusLines('script').map((line, index) => {
  const exception = contractHolds[line.id]
  const title = exception === undefined ? `${line.id} (${line.class})` : `${line.id}: ${exception.reason}`
  const expected: Expectation = { ...line.expect, ...exception?.instead }
  const cpuMs = computing.includes(line.class) ? shortCpuMs : usualCpuMs
  const { maxMs } = expected
  return {
    ...line,
    title,
    doors: doorsOf(index),
    cpuMs,
    expect: { ...expected, ...(maxMs && { maxMs: maxMs - usualCpuMs + cpuMs }) },
  }
})

const stages = new Map<number, ScriptStage>()
let stage: ScriptStage

beforeAll(async () => {
  for (const cpuMs of [usualCpuMs, shortCpuMs]) {
    stages.set(cpuMs, await startScriptStage({ ROSTRUM_TASK_CPU_MS: String(cpuMs) }))
  }
})
afterAll(async () => {
  for (const each of stages.values()) await each.stop()
})

test.each(lines)('$title', async line => {
  stage = stages.get(line.cpuMs) ?? expect.unreachable()
  const expectation = withoutAbsent(fillPlaceholders(line.expect, stage.placeholders))
  for (const group of mustRunAlone(line.expect) ? line.doors.map(door => [door]) : [line.doors]) {
    const seen = await Promise.all(group.map(door => runLine(line, door)))
    for (const one of seen.flat()) checkExpectation(one, expectation)
    const next = await stage.runNormally()
    expect(next.execution?.payload).toBe('next')
    expect(next.tookMs).toBeLessThan(2_000)
  }
})

test('nothing of the corpus is left in the gateway', async () => {
  for (const { server } of stages.values()) {
    expect((await server.observe()).newPrototypeKeys).toEqual([])
    expect(server.stderr()).toBe('')
  }
})

/** Runs one line through one door; gives what was seen of each run whose answer must be as expected. */
async function runLine(line: CorpusLine, door: Door): Promise<Seen[]> {
  const sequence = (line.input.sequence ?? [{ account: 'A', sourceCode: '' }]) as readonly ScriptStep[]
  const beside: Promise<ScriptAnswer>[] = []
  let answers: ScriptAnswer[] = []
  let operations = 0
  const send = (account: AccountName, input: ScriptInput) =>
    usesCases(line) ? stage.runInNewAccount(door, input) : stage.run(door, account, input)
  const endWatch = watchPeakMemory(stage.server.pid)
  const { happenings } = await stage.watch(async () => {
    for (const { account, repeat = 1, concurrentWithNext = false, ...step } of sequence) {
      answers = []
      const input = inputOf(line, line.input.sequence === undefined ? line.input : step)
      for (let i = 0; i < repeat; i++) {
        operations++
        const run = send(account, input)
        if (concurrentWithNext) beside.push(run)
        else answers.push(await run)
      }
    }
    await Promise.all(beside)
  })
  const peakBytes = endWatch()
  const secrets = [stage.placeholders.TOKEN_A, stage.placeholders.TOKEN_B, 'rrun_'].map(String)
  return answers.map(answer => ({ answer, happenings, peakBytes, operations, secrets }))
}

// These lines save functions and hooks by name, so each door needs an account of its own.
function usesCases({ id }: CorpusLine): boolean {
  return id.startsWith('red3-')
}

function inputOf(line: CorpusLine, given: CorpusLine['input']): ScriptInput {
  const filled = evaluateFields(fillPlaceholders(given, stage.placeholders))
  const input = { name: line.id, inputDocument: '{}', options: '{}', ...filled } as ScriptInput
  // The one line whose options hold its own source.
  return line.id === 'rec-002'
    ? { ...input, options: JSON.stringify({ params: { src: input.sourceCode } }) }
    : input
}

function withoutAbsent(expectation: Expectation): Expectation {
  return Object.fromEntries(Object.entries(expectation).filter(([, value]) => value !== undefined))
}
