import { expect, test } from 'vitest'
import type { LogEntry } from '../../../../src/domain/scripts/run.ts'
import { UnreadAnswers } from '../../../../src/http/edge/unread-answers.ts'
import { RunEvents } from '../../../../src/http/rest/events/run-events.ts'

const at = new Date('2026-11-20T10:00:00.000Z')

function begin(unread = new UnreadAnswers()) {
  const cuts: string[] = []
  const begun = (accountCode: string) =>
    new RunEvents({ accountCode, unread, cut: () => cuts.push(accountCode) })
  return { unread, cuts, begun }
}

const entry = (text: string): LogEntry => ({ at, level: 'info', data: [text], bytes: text.length + 4 })
const mebibyte = 2 ** 20
const endOf = (payload: string) => ({ task_execution: { payload, logs: [] } })

async function readAll(events: RunEvents): Promise<string> {
  let text = ''
  for (let chunk = await events.next(); chunk !== null; chunk = await events.next()) text += chunk.toString()
  return text
}

test('events that wait come together, in their order, and end after the last one', async () => {
  const events = begin().begun('a')
  events.onLog(entry('one'))
  events.onCallBegun({ id: 1, name: 'user', at })
  expect((await events.next())?.toString()).toBe(
    'event: log\ndata: {"at":"2026-11-20T10:00:00.000Z","level":"info","data":["one"]}\n\n' +
      'event: call\ndata: {"id":1,"name":"user","state":"begun","at":"2026-11-20T10:00:00.000Z"}\n\n',
  )
  const next = events.next()
  events.end(endOf('x'))
  expect((await next)?.toString()).toBe('event: end\ndata: {"task_execution":{"payload":"x","logs":[]}}\n\n')
  expect(await events.next()).toBeNull()
})

test('nothing follows the end', async () => {
  const events = begin().begun('a')
  events.end(endOf('x'))
  events.onLog(entry('late'))
  events.onCallEnded({ id: 1, name: 'user', at, durationMs: 1, error: null, runId: null })
  expect(await readAll(events)).not.toMatch(/late|user/)
})

test('what waits is written in chunks of about 64 KiB, and a longer event alone', async () => {
  const events = begin().begun('a')
  for (let count = 0; count < 10; count++) events.onLog(entry('x'.repeat(20_000)))
  events.end(endOf('x'.repeat(200_000)))
  const sizes: number[] = []
  for (let chunk = await events.next(); chunk !== null; chunk = await events.next()) sizes.push(chunk.length)
  expect(sizes.slice(0, -1).every(size => size <= 2 ** 16)).toBe(true)
  expect(sizes.at(-1)).toBeGreaterThan(200_000)
})

test('a stalled reader of an account is cut once its streams hold 64 MiB, and a reader of another is not', () => {
  const { begun, cuts, unread } = begin()
  const other = begun('b')
  other.end(endOf('x'.repeat(mebibyte)))
  for (let count = 0; count < 30; count++) begun('a').end(endOf('x'.repeat(2 * mebibyte)))
  expect(cuts).toEqual([])
  expect(() => unread.refuseWhenFull('a')).toThrow('not read yet')
  for (let count = 0; count < 4; count++) begun('a').end(endOf('x'.repeat(2 * mebibyte)))
  expect(cuts.length).toBeGreaterThan(0)
  expect(new Set(cuts)).toEqual(new Set(['a']))
  expect(() => unread.refuseWhenFull('b')).not.toThrow()
})

test('an event is counted from when it happens until it is read, or its stream is dropped', async () => {
  const { begun, unread } = begin()
  const read = begun('a')
  const dropped = begun('a')
  for (const events of [read, dropped]) {
    for (let count = 0; count < 9; count++) events.onLog(entry('x'.repeat(2 * mebibyte)))
  }
  expect(() => unread.refuseWhenFull('a')).toThrow('not read yet')
  await read.next()
  expect(() => unread.refuseWhenFull('a')).toThrow('not read yet')
  dropped.drop()
  read.end(endOf('x'))
  await readAll(read)
  // All of the 32 MiB are free again.
  const last = begun('a')
  for (let count = 0; count < 15; count++) last.onLog(entry('x'.repeat(2 * mebibyte)))
  expect(() => unread.refuseWhenFull('a')).not.toThrow()
})

test('a stream that is dropped ends for the code that waits for its next event', async () => {
  const events = begin().begun('a')
  const next = events.next()
  events.drop()
  expect(await next).toBeNull()
})
