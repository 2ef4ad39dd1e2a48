import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../server/gateways/start-server.ts'
import { findDescendants, signalAll } from '../../server/processes/child-processes.ts'

interface Listed {
  readonly runs: { readonly edges: readonly { readonly node: unknown }[] }
}

test('a run that no sandbox has begun is refused, and never listed', async () => {
  const server = await startServer({ ROSTRUM_SANDBOXES: '1', ROSTRUM_QUEUE_WAIT_MS: '500' })
  onTestFinished(async () => void (await server.stop()))
  async function list() {
    const { body } = await server.graphql<Listed>('{ runs { edges { node { name state outcome } } } }')
    return body.data?.runs.edges.map(({ node }) => node)
  }
  signalAll(findDescendants(server.pid), 'SIGSTOP')
  let isRefused = false
  const refused = server.execute({ name: 'refused', sourceCode: 'exit(1)' }).finally(() => {
    isRefused = true
  })
  // A run that has begun would be listed by then.
  await sleep(600)
  while (!isRefused) {
    signalAll(findDescendants(server.pid), 'SIGKILL')
    await sleep(10)
  }
  expect((await refused).status).toBe(429)
  await expect
    .poll(async () => (await server.execute({ sourceCode: 'exit(1)', name: 'next' })).status)
    .toBe(200)
  const next = { name: 'next', state: 'ENDED', outcome: 'EXIT' }
  await expect.poll(list).toEqual([next])
})
