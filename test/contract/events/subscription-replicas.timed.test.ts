import { expect, test } from 'vitest'
import { followEvents } from '../../server/clients/follow-events.ts'
import { addMembership } from '../../server/clients/memberships.ts'
import { shareReplicas } from '../../server/gateways/share-server.ts'

test('most changes at one gateway reach the followers of another in less than half a second', async () => {
  const [writer, other] = await shareReplicas()
  const follower = await followEvents(other)
  const madeAt: number[] = []
  for (let count = 0; count < 100; count += 1) {
    await addMembership(writer)
    madeAt.push(performance.now())
  }
  await expect.poll(() => follower.events.length).toBe(100)
  follower.cut()
  const latencies = follower.events.map(({ cameAt }, index) => cameAt - (madeAt[index] ?? 0))
  expect(latencies.toSorted((a, b) => a - b)[50]).toBeLessThan(500)
})
