import { pino } from 'pino'
import { expect, test } from 'vitest'
import { BoundLog } from '../src/bound-log.ts'

function start(level: 'info' | 'warn' = 'info') {
  const written: string[] = []
  const system = pino({ level, base: null, timestamp: false }, { write: line => written.push(line) })
  return { written, system, log: new BoundLog(system, { requestId: 'r' }) }
}

test('lines begin with the facts of the log, as those of a child of pino do', () => {
  const { written, system, log } = start()
  const more = { task: 'recalculate', run: 'x' }
  log.with(more).info({ outcome: 'exit' }, 'task ended')
  system.child({ requestId: 'r' }).child(more).info({ outcome: 'exit' }, 'task ended')
  expect(written[0]).toBe(written[1])
  expect(JSON.parse(written[0] ?? '')).toEqual({
    level: 30,
    requestId: 'r',
    ...more,
    outcome: 'exit',
    msg: 'task ended',
  })
})

test('a cause is written with its type, message and stack', () => {
  const { written, log } = start()
  log.error({ err: new TypeError('no such thing') }, 'a call failed')
  const stack = expect.stringContaining('no such thing')
  expect(JSON.parse(written[0] ?? '').err).toMatchObject({
    type: 'TypeError',
    message: 'no such thing',
    stack,
  })
})

test('lines below the level are left out', () => {
  const { written, log } = start('warn')
  log.info({}, 'left out')
  log.warn({}, 'written')
  expect(log.isLevelEnabled('info')).toBe(false)
  expect(written.map(line => JSON.parse(line).msg)).toEqual(['written'])
})

test('many lines are the same as few', () => {
  const { written, log } = start()
  for (let line = 1; line <= 8; line++) log.warn({ line }, 'said')
  const lines = Array.from({ length: 8 }, (_, n) => ({ level: 40, requestId: 'r', line: n + 1, msg: 'said' }))
  expect(written.map(line => JSON.parse(line))).toEqual(lines)
})

test('the bytes of its facts are counted as JSON, with those of the system log', () => {
  const { log } = start()
  expect(log.bytesOfFacts).toBe('{"requestId":"r"}'.length)
  expect(log.with({ name: 'é' }).bytesOfFacts).toBe('{"requestId":"r","name":"éé"}'.length)
  const host = { hostname: 'h'.repeat(63) }
  const ofHost = new BoundLog(pino({ base: host }))
  expect(ofHost.bytesOfFacts).toBeGreaterThan(JSON.stringify(host).length)
})
