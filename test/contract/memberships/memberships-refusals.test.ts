import { beforeAll, describe, expect, test } from 'vitest'
import { addMembership, freshId, listMemberships } from '../../server/clients/memberships.ts'
import type { MembershipRow, ProblemBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

const path = '/platform/team_memberships'
let server: SharedServer
let existing: MembershipRow

beforeAll(async () => {
  server = await shareServer()
  existing = await addMembership(server)
})

// Each refused body with the pointers that its problem names, in any order.
const badCreates: [string, unknown, string[]][] = [
  ['without user_id', { team_membership: { team_id: 3 } }, ['/team_membership/user_id']],
  ['without team_id', { team_membership: { user_id: 7 } }, ['/team_membership/team_id']],
  ['without both', { team_membership: {} }, ['/team_membership/user_id', '/team_membership/team_id']],
  [
    'with text for an integer',
    { team_membership: { user_id: '7', team_id: 3 } },
    ['/team_membership/user_id'],
  ],
  ['with a fraction', { team_membership: { user_id: 7, team_id: 1.5 } }, ['/team_membership/team_id']],
  ['with zero', { team_membership: { user_id: 0, team_id: 3 } }, ['/team_membership/user_id']],
  ['with a negative id', { team_membership: { user_id: 7, team_id: -3 } }, ['/team_membership/team_id']],
  ['with 2^53', { team_membership: { user_id: 2 ** 53, team_id: 3 } }, ['/team_membership/user_id']],
  ['with null', { team_membership: { user_id: null, team_id: 3 } }, ['/team_membership/user_id']],
  ['with true', { team_membership: { user_id: true, team_id: 3 } }, ['/team_membership/user_id']],
  ['with an array', { team_membership: { user_id: [7], team_id: 3 } }, ['/team_membership/user_id']],
  ['with the wrong wrapper', { membership: { user_id: 7, team_id: 3 } }, ['/team_membership']],
  ['with a list in the wrapper', { team_membership: [7, 3] }, ['/team_membership']],
  ['with null in the wrapper', { team_membership: null }, ['/team_membership']],
]

function expectProblem(
  answer: { status: number; headers: Headers; body: ProblemBody },
  status: number,
  code: string,
) {
  expect(answer.status).toBe(status)
  expect(answer.headers.get('content-type')).toContain('application/problem+json')
  const { body } = answer
  expect(body).toMatchObject({ status, code })
  expect([body.type, body.title, body.detail].every(text => typeof text === 'string' && text !== '')).toBe(
    true,
  )
}

test.each(badCreates)('a create %s is a 400 that points to the fields', async (_, body, pointers) => {
  const answer = await server.rest<ProblemBody>('POST', path, { body })
  expectProblem(answer, 400, 'BAD_USER_INPUT')
  expect(answer.body.errors?.map(error => error.pointer).sort()).toEqual([...pointers].sort())
  expect(answer.body.errors?.every(error => error.detail !== '')).toBe(true)
})

const badUpdates: [string, unknown][] = [
  ['with neither field', {}],
  ['with ignored fields alone', { leader: true, id: 5 }],
  ['with text for an integer', { team_id: '3' }],
  ['with null', { user_id: null, team_id: 3 }],
  ['with zero', { team_id: 0 }],
]

test.each(badUpdates)('an update %s is a 400 and changes nothing', async (_, fields) => {
  const answer = await server.rest<ProblemBody>('PUT', `${path}/${existing.id}`, {
    body: { team_membership: fields },
  })
  expectProblem(answer, 400, 'BAD_USER_INPUT')
  expect(await listMemberships(server, [existing.id])).toEqual([existing])
})

test('an update of an impossible id is a 400, and so is a delete', async () => {
  const body = { team_membership: { team_id: 3 } }
  expectProblem(await server.rest<ProblemBody>('PUT', `${path}/abc`, { body }), 400, 'BAD_USER_INPUT')
  expectProblem(await server.rest<ProblemBody>('DELETE', `${path}/abc`), 400, 'BAD_USER_INPUT')
})

describe('a body', () => {
  const send = (body: string, type = 'application/json') =>
    server.rest<ProblemBody>('POST', path, { body, headers: { 'content-type': type } })

  test.each(['{"team_membership":', 'hello', '', '{"team_membership":{"user_id":7,"team_id":3}} x'])(
    'that is not JSON (%j) is a 400',
    async body => expectProblem(await send(body), 400, 'BAD_USER_INPUT'),
  )

  test.each(['[]', '5', '"text"', 'null'])('that is not an object (%s) is a 400', async body =>
    expectProblem(await send(body), 400, 'BAD_USER_INPUT'),
  )

  test.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data'])(
    'of the type %s is a 415',
    async type => expectProblem(await send('team_membership', type), 415, 'UNSUPPORTED_MEDIA_TYPE'),
  )

  test('past 2 MiB is a 413', async () => {
    const body = JSON.stringify({ team_membership: { user_id: 7, team_id: 3, x: 'x'.repeat(2 ** 21) } })
    expectProblem(await send(body), 413, 'PAYLOAD_TOO_LARGE')
  })

  test('with `__proto__` as a key changes nothing but its own answer', async () => {
    const user = freshId()
    await send(`{"team_membership":{"user_id":${user},"team_id":3},"__proto__":{"user_id":1,"isAdmin":true}}`)
    const next = await server.rest('POST', path, { body: { team_membership: { team_id: 3 } } })
    expect(next.status).toBe(400)
  })
})

test('an unknown path and a wrong method are problems, not pages', async () => {
  expectProblem(await server.rest<ProblemBody>('GET', '/platform/nothing'), 404, 'NOT_FOUND')
  const patch = await server.rest<ProblemBody>('PATCH', `${path}/${existing.id}`, { body: {} })
  expect([404, 405]).toContain(patch.status)
  expect(patch.headers.get('content-type')).toContain('application/problem+json')
})

test('a refusal shows no stack, no path and no SQL', async () => {
  const answer = await server.rest('POST', path, {
    body: { team_membership: { user_id: "1' OR 1=1--", team_id: 3 } },
  })
  expect(answer.text).not.toMatch(/node_modules|\bat .*:\d+|SQLITE|select |\.ts\b/i)
})
