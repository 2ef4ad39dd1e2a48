import { createClient } from 'graphql-sse'
import { expect, onTestFinished, test } from 'vitest'
import { addMembership } from '../server/clients/memberships.ts'
import { startServer } from '../server/gateways/start-server.ts'
import { createDatabase } from '../store/databases/create-database.ts'
import { newestCursor } from './newest-cursor.ts'

type Changed = { teamMembershipChanged: { cursor: string; teamMembershipId: string } }

test('graphql-sse follows events over a restart, each once if its variables keep the last cursor', async () => {
  const DATABASE_URL = await createDatabase()
  const first = await startServer({ DATABASE_URL })
  const client = createClient({
    url: `${first.baseUrl}/graphql`,
    headers: { authorization: `Bearer ${first.adminToken}` },
    retryAttempts: 1_000,
    retry: () => new Promise(resolve => setTimeout(resolve, 50)),
  })
  onTestFinished(() => client.dispose())
  await addMembership(first, { user_id: 1, team_id: 1 })
  const after = await newestCursor(first)
  const { id } = await addMembership(first, { user_id: 1, team_id: 2 })
  const query =
    'subscription ($after: String) { teamMembershipChanged(after: $after) { cursor teamMembershipId } }'
  const variables = { after }
  const events = client.iterate<Changed>({ query, variables })
  const next = async () => {
    const changed = (await events.next()).value?.data?.teamMembershipChanged
    variables.after = changed?.cursor ?? variables.after
    return changed?.teamMembershipId
  }
  expect(await next()).toBe(String(id))

  await first.stop()
  const { PORT } = first.settings
  const second = await startServer({ DATABASE_URL, PORT: PORT ?? '' })
  onTestFinished(() => void second.stop())
  const later = await addMembership(second, { user_id: 1, team_id: 3 })
  expect(await next()).toBe(String(later.id))
})
