import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sendRequest } from '../server/clients/send-request.ts'
import { startServer } from '../server/gateways/start-server.ts'
import { sendJson, startUpstream } from '../server/gateways/start-upstream.ts'
import { findDescendants, findSurvivors } from '../server/processes/child-processes.ts'
import { endWithParent } from '../server/processes/end-with-parent.ts'
import { findFreePort } from '../server/processes/free-port.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'
import { until } from '../server/processes/until.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

// A run that waits for a host until the test releases it, so that a signal arrives during the run.
async function startHeldRun() {
  let answer = () => {}
  const upstream = await startUpstream((_, response) => {
    answer = () => sendJson(response, { data: 'late' })
  })
  const sourceCode = `exit((await graphql('{ x }', {}, '${upstream.url}/')).data)`
  return { upstream, sourceCode, letGo: () => answer() }
}

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'a %s that arrives twice at once stops the gateway once: what is in flight is answered',
  async signal => {
    const { upstream, sourceCode, letGo } = await startHeldRun()
    const server = await startServer({ ROSTRUM_GRAPHQL_HOSTS: upstream.host })
    const inFlight = server.execute(sourceCode)
    while (upstream.requests.length === 0) await sleep(10)
    process.kill(server.pid, signal)
    await sleep(20)
    process.kill(server.pid, signal)
    await sleep(100)
    letGo()
    expect((await inFlight).body.task_execution.payload).toBe('late')
    while (findDescendants(process.pid).includes(server.pid)) await sleep(10)
    expect(await server.stop()).toBe(0)
    await upstream.close()
  },
)

test('a second signal after half a second ends the gateway at once', async () => {
  const { upstream, sourceCode } = await startHeldRun()
  const server = await startServer({ ROSTRUM_GRAPHQL_HOSTS: upstream.host })
  const inFlight = server.execute(sourceCode).catch(() => 'cut')
  while (upstream.requests.length === 0) await sleep(10)
  process.kill(server.pid, 'SIGTERM')
  await until(() => server.stdout().includes('"msg":"stopping"'))
  await sleep(600)
  expect(await server.stop()).toBe(1)
  expect(await inFlight).toBe('cut')
  await upstream.close()
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s to the whole process group of `npm start` lets a run in flight finish',
  async signal => {
    const { upstream, sourceCode, letGo } = await startHeldRun()
    const folder = makeTempFolder()
    const url = `http://127.0.0.1:${await findFreePort()}`
    const token = 'admin-token-of-the-tests'
    const npm = spawn('npm', ['start'], {
      cwd: root,
      detached: true,
      env: {
        ...process.env,
        PORT: new URL(url).port,
        DATABASE_URL: `sqlite:${join(folder.path, 'rostrum.db')}`,
        ROSTRUM_ADMIN_TOKEN: token,
        ROSTRUM_GRAPHQL_HOSTS: upstream.host,
      },
      stdio: 'ignore',
    })
    endWithParent(npm, { isDetached: true })
    const isReady = () =>
      fetch(`${url}/ready`).then(
        answer => answer.ok,
        () => false,
      )
    while (!(await isReady())) await sleep(50)
    const processes = findDescendants(npm.pid ?? 0)
    const body = { name: 'held', sourceCode, inputDocument: '{}', options: '{}' }
    const inFlight = sendRequest<{ task_execution: { payload: unknown } }>({
      url: `${url}/api/1/endpoint/execute`,
      method: 'POST',
      token,
      body,
    })
    while (upstream.requests.length === 0) await sleep(10)
    process.kill(-(npm.pid ?? 0), signal)
    await sleep(200)
    letGo()
    expect((await inFlight).body.task_execution.payload).toBe('late')
    expect(await findSurvivors(processes)).toEqual([])
    folder.remove()
    await upstream.close()
  },
)
