import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../src/store/open-store.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'

const openStoreModule = new URL('../../../src/store/open-store.ts', import.meta.url).href

// Creates 50 at once, again and again, until a file would grow past what the process may write.
const script = `
  const { openStore } = await import(${JSON.stringify(openStoreModule)})
  const store = await openStore({ url: process.argv[1] })
  let statements = []
  const answered = []
  for (let userId = 1; userId < 20_000; userId += 50) {
    const origin = { accountCode: 'a', userId: 1, email: null, transactionId: 'test', step: null }
    const add = n => store.memberships.add(origin, { userId: userId + n, teamId: 1 })
    const creates = Array.from({ length: 50 }, (_, n) => add(n))
    const results = await Promise.allSettled(creates)
    const failed = results.filter(({ status }) => status === 'rejected').map(({ reason }) => reason.message)
    answered.push(...results.filter(({ status }) => status === 'fulfilled').map(({ value }) => value.membership))
    if (failed.length === 0) continue
    const kept = await store.users.findByIds('a', Array.from({ length: 50 }, (_, n) => userId + n))
    console.log(JSON.stringify({ failed, answered, kept }))
    break
  }
  await store.close().catch(() => {})
`

test('a commit that fails fails each of its changes with the reason, and keeps none', async () => {
  const folder = makeTempFolder()
  onTestFinished(() => folder.remove())
  const url = `sqlite:${folder.path}/store.db`
  const limited = ['-c', 'ulimit -f 1024; exec "$0" "$@"', process.execPath]
  const child = spawn('bash', [...limited, '--input-type=module', '-e', script, '--', url], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 30_000,
  })
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect(code).toBe(0)
  const { failed, answered, kept } = JSON.parse(said)
  // A busy machine takes them in more than one commit, of whom the first may succeed.
  expect(failed.length).toBeGreaterThan(0)
  expect(new Set(failed).size).toBe(1)
  expect(failed[0]).toMatch(/^The database kept nothing of this change: the disk .*\.$/)
  expect(kept).toHaveLength(50 - failed.length)

  const store = await openStore({ url })
  const page = { after: null, before: null, limit: 100_000, fromEnd: false }
  expect(answered.length).toBeGreaterThan(0)
  expect(await store.memberships.pageByTeams('a', [1], page)).toEqual(answered)
  await store.close()
})
