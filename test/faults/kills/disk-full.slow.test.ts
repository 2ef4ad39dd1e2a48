import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../src/store/open-store.ts'
import { addMembership } from '../../server/clients/memberships.ts'
import type { ProblemBody } from '../../server/clients/wire-shapes.ts'
import { startServer } from '../../server/gateways/start-server.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { judgeLoad } from '../history/judge-load.ts'
import { startLoad } from '../history/start-load.ts'
import { untilReady } from '../replicas/until-ready.ts'

/** Limits the files of this process to this size; the kernel refuses further writes. */
async function limitFiles(pid: number, bytes: number | 'unlimited'): Promise<void> {
  await promisify(execFile)('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`])
}

test('a full disk refuses changes with its reason, stores nothing of them, and recovers', async () => {
  const folder = makeTempFolder()
  onTestFinished(() => folder.remove())
  const url = `sqlite:${folder.path}/store.db`
  const server = await startServer({ DATABASE_URL: url, ROSTRUM_SANDBOXES: '1' })
  onTestFinished(async () => void (await server.stop()))
  const load = startLoad({
    baseUrls: [server.baseUrl],
    token: server.adminToken,
    clients: 16,
    isKeyed: false,
  })
  for (let time = 1; time <= 3; time += 1) {
    await sleep(400)
    await limitFiles(server.pid, 4_096)
    await sleep(400)
    const answer = await server.rest<ProblemBody>('POST', '/platform/team_memberships', {
      body: { team_membership: { user_id: 7_000_000 + time, team_id: 3 } },
    })
    expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([
      503,
      'UNAVAILABLE',
      '1',
    ])
    expect(answer.body.detail).toMatch(/^The database kept nothing of this change: the disk .*\.$/)
    // What is there can be read all the while.
    expect((await server.rest('GET', '/platform/users/1')).status).toBe(200)
    await limitFiles(server.pid, 'unlimited')
    await untilReady(server.baseUrl)
  }
  await sleep(400)
  expect(server.stdout()).toMatch(/"msg":"the store failed"/)
  await judgeLoad('SQLite, 3 times no room', load, url)
}, 60_000)

test('a stop on a full disk exits with 1, and says where the newest changes are', async () => {
  const folder = makeTempFolder()
  onTestFinished(() => folder.remove())
  const path = `${folder.path}/store.db`
  const server = await startServer({ DATABASE_URL: `sqlite:${path}`, ROSTRUM_SANDBOXES: '1' })
  await addMembership(server, { user_id: 7, team_id: 3 })
  await limitFiles(server.pid, 4_096)
  expect(await server.stop()).toBe(1)
  expect(server.stdout()).toContain('The newest changes are in its log, the file with `-wal`: keep both.')
  const store = await openStore({ url: `sqlite:${path}` })
  expect(await store.accounts.isEmpty()).toBe(false)
  await store.close()
})
