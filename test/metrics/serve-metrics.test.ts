import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { serveMetrics } from '../../src/http/metrics/serve-metrics.ts'

test('metrics that cannot be printed are a 503 that blames no store, and a line in the log', async () => {
  const lines: string[] = []
  const log = pino({}, { write: line => lines.push(line) })
  const server = await serveMetrics(() => Promise.reject(new Error('no such gauge')), {
    ...{ host: '127.0.0.1', port: 0, log },
  })
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') expect.unreachable()
  const answer = await fetch(`http://127.0.0.1:${address.port}/metrics`)
  expect([answer.status, await answer.text()]).toEqual([503, 'The metrics could not be printed.\n'])
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { level: 50, err: { message: 'no such gauge' } },
  ])
})
