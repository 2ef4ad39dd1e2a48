import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { BoundLog } from '../../src/bound-log.ts'
import { ScriptLogShare } from '../../src/fairness/script-log-share.ts'

const minute = 60_000
// Of all bytes around the facts of a line, the bindings included.
const around = 200

function start(maxBytes: number) {
  const lines: Record<string, unknown>[] = []
  const written: number[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      written.push(chunk.length)
      done()
    },
  })
  const clock = { ms: 20 * minute }
  const log = new BoundLog(pino({ level: 'info' }, stream))
  const share = new ScriptLogShare({ log, maxBytes, readMs: () => clock.ms })
  function write(account: string, text: string, level: 'info' | 'debug' = 'info') {
    const facts = { data: [text] }
    const bytes = Buffer.byteLength(JSON.stringify(facts.data))
    share.linesOf(account, log.with({ account, run: 'r' })).write(level, { facts, message: 'said', bytes })
  }
  const said = (account: string) => lines.filter(line => line.msg === 'said' && line.account === account)
  const counts = () => lines.filter(({ msg }) => msg !== 'said')
  return { write, said, counts, share, clock, written, lines }
}

test('an account writes up to its bytes in a minute; one line counts the rest, and other accounts go on', () => {
  const { write, said, counts, clock, written, share } = start(2_000)
  for (let n = 0; n < 50; n++) write('a', 'x'.repeat(100))
  write('b', 'x')
  const shown = said('a').length
  expect(shown).toBeGreaterThan(5)
  expect(written.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(2_000 + around)
  expect(said('b')).toHaveLength(1)
  share.report()
  expect(counts()).toEqual([])
  clock.ms += minute
  share.report()
  share.report()
  expect(counts()).toEqual([
    expect.objectContaining({
      level: 40,
      account: 'a',
      lines: 50 - shown,
      bytes: expect.any(Number),
      minute: '1970-01-01T00:20:00.000Z',
      msg: 'log lines of scripts were left out; kept runs have them',
    }),
  ])
  expect(Number(counts()[0]?.bytes)).toBeGreaterThan((50 - shown) * 100)
})

test('a new minute has room again, and its first line comes after the count', () => {
  const { write, said, lines, clock } = start(400)
  for (let n = 0; n < 5; n++) write('a', 'x'.repeat(100))
  const before = said('a').length
  clock.ms += minute
  write('a', 'again')
  expect(said('a')).toHaveLength(before + 1)
  expect(lines.slice(-2)).toMatchObject([{ lines: 5 - before }, { data: ['again'] }])
})

test('once a line was left out, a shorter one is left out too', () => {
  const { write, said } = start(500)
  write('a', 'x'.repeat(1_000))
  write('a', 'x')
  expect(said('a')).toEqual([])
})

test('a line below the level of the log counts for nothing', () => {
  const { write, said } = start(500)
  for (let n = 0; n < 100; n++) write('a', 'x'.repeat(100), 'debug')
  write('a', 'x')
  expect(said('a')).toHaveLength(1)
})

test('accounts past 10,000 in one minute share one count', () => {
  const { write, share, counts } = start(400)
  for (let n = 0; n < 10_000; n++)
    share.linesOf(`a${n}`).write('info', { facts: {}, message: 'said', bytes: 1 })
  for (const account of ['late', 'later']) write(account, 'x'.repeat(500))
  share.reportAll()
  expect(counts()).toMatchObject([{ account: '(others)', lines: 2 }])
})

test('an account named like the count of the others has a count of its own', () => {
  const { write, share, counts } = start(400)
  write('(others)', 'x'.repeat(500))
  for (let n = 1; n < 10_000; n++)
    share.linesOf(`a${n}`).write('info', { facts: {}, message: 'said', bytes: 1 })
  write('late', 'x'.repeat(500))
  share.reportAll()
  expect(counts()).toMatchObject(Array(2).fill({ account: '(others)', lines: 1 }))
})
