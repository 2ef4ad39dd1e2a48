import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startServer } from '../../server/gateways/start-server.ts'

// 256 KiB of log a run, four times as long in the system log. Nothing may wait for its reader.
const flood = 'for (let n = 0; n < 1000; n++) log("x".repeat(200)); exit(1)'

test('a log that nobody reads delays no request and no stop, and reports lost lines when it is read', async () => {
  const server = await startServer()
  // An account may write 1 MiB a minute, so these are many.
  const tokens: string[] = []
  for (let n = 0; n < 60; n++) tokens.push(await server.token({ account: `flood-${n}`, user: 1 }))
  server.pauseStdout()
  for (const token of tokens) {
    const started = performance.now()
    const answer = await server.execute(flood, { token })
    expect([answer.status, answer.body.task_execution.logs.length]).toEqual([200, 1_000])
    expect((await server.rest('GET', '/platform/team_memberships?ids[]=1')).status).toBe(200)
    expect(performance.now() - started).toBeLessThan(3_000)
  }
  server.resumeStdout()
  const lost = '"msg":"log lines were lost: standard output did not take them"'
  for (let waited = 0; !server.stdout().includes(lost) && waited < 10_000; waited += 50) await sleep(50)
  expect(server.stdout()).toContain(lost)
  for (const line of server
    .stdout()
    .split('\n')
    .filter(text => text.startsWith('{')))
    JSON.parse(line)

  server.pauseStdout()
  for (const token of tokens.slice(0, 4)) await server.execute(flood, { token })
  const stopping = performance.now()
  await server.stop()
  expect(performance.now() - stopping).toBeLessThan(6_000)
})

test('the last lines come as soon as the log is read again, and wait for no other', async () => {
  const server = await startServer()
  server.pauseStdout()
  await server.execute(flood)
  // The pipe is full, and what is written to it waits; this line comes meanwhile.
  await sleep(100)
  await server.execute('log("the last one"); exit(1)')
  await sleep(100)
  server.resumeStdout()
  for (let waited = 0; !server.stdout().includes('the last one') && waited < 5_000; waited += 50)
    await sleep(50)
  expect(server.stdout()).toContain('the last one')
  await server.stop()
})
