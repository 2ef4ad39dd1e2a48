import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { WireAnswer } from '../../properties/wire/wire-answer.ts'
import { findDescendants } from '../../server/processes/child-processes.ts'
import {
  type CorpusLine,
  type Expectation,
  evaluateFields,
  fillPlaceholders,
  type LineInput,
} from '../corpus/corpus-lines.ts'
import { forgetPeakMemory, watchPeakMemory } from '../neighbours/peak-memory.ts'
import { processorMsOf } from '../neighbours/processor-time.ts'
import { findWireFaults } from './judge-wire.ts'
import { type Exchange, exchangeBytes } from './wire-exchange.ts'
import { checkWireExpectation } from './wire-expectations.ts'
import { toGraphqlExchange, toHttpExchange } from './wire-requests.ts'
import type { WireStage } from './wire-stage.ts'

const patienceMs = 30_000
const normalWithinMs = 2_000

/** Whether a line bounds how long others wait or work: beside other tests they take longer. */
export function isTimed({
  expect: { maxMs, otherAccountExecuteWithinMs, childFreedWithinMs },
}: CorpusLine): boolean {
  return [maxMs, otherAccountExecuteWithinMs, childFreedWithinMs].some(bound => bound !== undefined)
}

/**
 * Sends what a line says, of a sequence one after another with the last one's answer to be as expected, and checks all
 * that it expects; and whatever it expects, that the answers keep to the contract, that the prototypes are clean and
 * that another account is answered at once.
 */
export async function runWireLine(line: CorpusLine, stage: WireStage): Promise<void> {
  const expectation = fillPlaceholders(line.expect, stage.placeholders)
  const input = evaluateFields(fillPlaceholders(line.input, stage.placeholders))
  const isAnonymous = expectation.when !== undefined
  const { parallel = 1, sequence, ...given } = input as LineInput & { parallel?: number }
  const steps = sequence ?? [given]
  const once = steps.at(-1) ?? given
  const toExchange = (step: LineInput) =>
    line.kind === 'graphql'
      ? toGraphqlExchange(isAnonymous ? { ...step, as: 'nobody' } : step, stage)
      : toHttpExchange(step)
  const exchange = (request: ReturnType<typeof toExchange>): Promise<Exchange> =>
    exchangeBytes({ ...request, url: stage.server.baseUrl, maxMs: maxMsOf(request) })
  const request = toExchange(once)
  const send = () => exchange(request)

  for (const step of steps.slice(0, -1)) expect((await exchange(toExchange(step))).answers).toHaveLength(1)
  const compared = await sendCompared(expectation, once, stage)
  const rowsBefore = stage.readRows()
  await stage.observe()
  const before = await stage.observe()
  forgetPeakMemory(stage.server.pid)
  const peak = watchPeakMemory(stage.server.pid)
  const sent = Promise.all(Array.from({ length: parallel }, send))
  const otherAccountMs =
    expectation.otherAccountExecuteWithinMs === undefined ? null : await executeAsB(stage)
  const exchanges = await sent
  const childFreedMs = expectation.childFreedWithinMs === undefined ? null : await waitForIdleChildren(stage)
  const peakGrowthBytes = peak() - before.residentBytes
  const after = await stage.observe()
  const rowsAfter = stage.readRows()

  for (const answer of exchanges.flatMap(({ answers }) => answers))
    expect(findWireFaults(answer, request.isHead), answer.text.slice(0, 300)).toEqual([])
  expect(after.newPrototypeKeys).toEqual([])
  checkWireExpectation(
    {
      exchanges,
      before,
      after,
      rowsBefore,
      rowsAfter,
      peakGrowthBytes,
      compared,
      otherAccountMs,
      childFreedMs,
    },
    expectation,
  )
  expect(await stage.askNormally()).toBeLessThan(normalWithinMs)
}

// A client that never reads, or drips, has nothing to wait for but the end.
function maxMsOf({ neverRead }: { readonly neverRead?: boolean }): number {
  return neverRead === true ? 3_000 : patienceMs
}

async function sendCompared(
  expectation: Expectation,
  input: Readonly<Record<string, unknown>>,
  { server, tokens, placeholders }: WireStage,
): Promise<WireAnswer | null> {
  const headers = { authorization: `Bearer ${tokens.A}` }
  const path = String(input.path)
  const idOfB = placeholders.ID_OF_ACCOUNT_B ?? ''
  const other =
    expectation.sameBodyAs !== undefined
      ? { ...input, path: path.replace(idOfB, '9'.repeat(idOfB.length)) }
      : expectation.noEffectOf !== undefined
        ? { ...input, headers }
        : null
  if (other === null) return null
  const { answers } = await exchangeBytes({
    ...toHttpExchange(other),
    url: server.baseUrl,
    maxMs: patienceMs,
  })
  return answers[0] ?? null
}

async function executeAsB({ server, tokens }: WireStage): Promise<number> {
  // Not before the flood has arrived.
  await sleep(100)
  const started = performance.now()
  const { status, text } = await server.execute('exit(1)', { token: tokens.B })
  expect(status, text).toBe(200)
  return performance.now() - started
}

// Until no process under the gateway works any more.
async function waitForIdleChildren({ server }: WireStage): Promise<number> {
  const started = performance.now()
  const measure = () => findDescendants(server.pid).reduce((sum, pid) => sum + processorMsOf(pid), 0)
  for (let last = measure(); performance.now() - started < patienceMs; ) {
    await sleep(200)
    const now = measure()
    if (Math.abs(now - last) < 20) break
    last = now
  }
  return performance.now() - started
}
