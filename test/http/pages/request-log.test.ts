import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createRequestLog, type RequestRecord } from '../../../src/http/request/request-log.ts'

const record: RequestRecord = {
  requestId: 'b3e144d8-b844-43b2-bc81-ca4422f0d97b',
  account: 'demo',
  token: 3,
  user: 7,
  address: '203.0.113.9',
  operation: 'GET /platform/team_memberships/:id',
  status: 200,
  durationMs: 0.45,
  txnID: null,
  aborted: false,
  traceId: null,
}

function open(level = 'info') {
  const lines: string[] = []
  const timestamp = () => ',"time":1795202185846'
  const hooks = { streamWrite: (line: string) => line.replaceAll('secret', 'hidden') }
  const log = pino({ level, timestamp, hooks }, { write: (line: string) => lines.push(line) })
  return { lines, log }
}

test.each<[string, Partial<RequestRecord>]>([
  ['an answer', {}],
  ['an answer that nobody was there to get', { status: null, aborted: true }],
  [
    'a request of nobody to nowhere',
    { account: null, token: null, user: null, operation: null, status: 404 },
  ],
  ['a traced request', { traceId: '0af7651916cd43dd8448eb211c80319c' }],
  ['a run', { txnID: 'fed72f03-e084-4c91-8b42-02377914eb23' }],
  [
    'texts that JSON escapes, and one to hide',
    { account: 'a"\\\n', operation: 'query \u2028é secret', durationMs: 12 },
  ],
  ['a run of a client that has gone', { txnID: 'x"y', aborted: true }],
])('the line of %s is what Pino would write, byte for byte', (_title, changes) => {
  const { lines, log } = open()
  const given = { ...record, ...changes }
  createRequestLog(log)(given)
  const { txnID, aborted, traceId } = given
  const shown = { txnID: txnID ?? undefined, aborted: aborted || undefined, traceId: traceId ?? undefined }
  log.info({ ...given, ...shown }, 'request')
  expect(lines[0]).toBe(lines[1])
  expect(lines[0]).not.toContain('secret')
})

test('a level above `info` writes no line', () => {
  const { lines, log } = open('warn')
  createRequestLog(log)(record)
  expect(lines).toEqual([])
})
