import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendRaw } from './send-raw.ts'
import { startApp, type TestApp } from './start-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

test('headers and bodies that never end are given up after 10 s', { timeout: 20_000 }, async () => {
  const drip = (head: string) => ({
    url: app.url,
    writes: [head, ...Array.from({ length: 30 }, () => 'x')],
    pauseMs: 500,
    timeoutMs: 15_000,
  })
  const body =
    `POST /platform/team_memberships HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.adminToken}\r\n` +
    `Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n`
  const exchanges = await Promise.all([
    sendRaw(drip('GET /health HTTP/1.1\r\nHost: x\r\nX: ')),
    sendRaw(drip(body)),
  ])
  for (const { text, closedAfterMs } of exchanges) {
    expect(closedAfterMs).toBeGreaterThan(9_000)
    expect(closedAfterMs).toBeLessThan(14_000)
    expect(text).toMatch(/^HTTP\/1.1 408 /)
  }
})
