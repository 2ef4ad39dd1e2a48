import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../src/store/open-store.ts'
import { freshId } from '../server/clients/memberships.ts'
import type { MembershipBody, MembershipRow } from '../server/clients/wire-shapes.ts'
import { startServer } from '../server/gateways/start-server.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'

const page = { after: null, before: null, limit: 100_000, fromEnd: false }

test.each([1, 300, 1_500])(
  'a gateway killed after %i answers has kept what it answered',
  async answersBefore => {
    const folder = makeTempFolder()
    onTestFinished(() => folder.remove())
    const url = `sqlite:${folder.path}/store.db`
    const server = await startServer({ DATABASE_URL: url })
    const team_id = freshId()
    const answered: MembershipRow[] = []
    let killed: Promise<void> | undefined
    const createUntilKilled = async () => {
      while (killed === undefined) {
        const body = { team_membership: { user_id: freshId(), team_id } }
        const answer = await server.rest<MembershipBody>('POST', '/platform/team_memberships', { body })
        answered.push(answer.body.team_membership)
        if (answered.length >= answersBefore) killed ??= server.kill()
      }
    }
    // Those under way when it is killed have no answer.
    await Promise.allSettled(Array.from({ length: 64 }, createUntilKilled))
    await killed

    const store = await openStore({ url })
    const rows = await store.memberships.pageByTeams('demo', [team_id], page)
    const kept = new Map(rows.map(({ id, userId }) => [id, userId]))
    expect(answered.length).toBeGreaterThanOrEqual(answersBefore)
    expect(answered.filter(({ id, user_id }) => kept.get(id) !== user_id)).toEqual([])
    await store.close()
  },
)
