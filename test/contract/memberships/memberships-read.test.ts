import { beforeAll, describe, expect, test } from 'vitest'
import { addMembership } from '../../server/clients/memberships.ts'
import type {
  MembershipBody,
  MembershipListBody,
  MembershipRow,
  ProblemBody,
} from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

const path = '/platform/team_memberships'
let server: SharedServer
let first: MembershipRow
let second: MembershipRow

beforeAll(async () => {
  server = await shareServer()
  first = await addMembership(server, { user_id: 7, team_id: 3 })
  second = await addMembership(server, { user_id: 8, team_id: 3 })
})

const list = (query: string) => server.rest<MembershipListBody>('GET', path + query)
const refusal = (query: string) => server.rest<ProblemBody>('GET', path + query)

describe('one membership', () => {
  test('is four members, integers and a null leader, with an ETag', async () => {
    const answer = await server.rest<MembershipBody>('GET', `${path}/${first.id}`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain('application/json')
    expect(answer.body).toEqual({
      team_membership: { id: first.id, user_id: 7, team_id: 3, leader: null },
    })
    expect(answer.headers.get('etag')).toMatch(/^"[^"]+"$/)
  })

  test.each(['99999999', '9007199254740991'])('of the unknown id %s is a 404 problem', async id => {
    const answer = await server.rest<ProblemBody>('GET', `${path}/${id}`)
    expect(answer.status).toBe(404)
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
    expect(answer.body).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })

  test.each(['abc', '0', '-1', '1.5', '1e3', '9007199254740992', '1%20OR%201=1', '0x1', '%2B1'])(
    'of the impossible id %s is a 400 that names it',
    async id => {
      const answer = await server.rest<ProblemBody>('GET', `${path}/${id}`)
      expect(answer.status).toBe(400)
      expect(answer.body.code).toBe('BAD_USER_INPUT')
      expect(answer.body.detail).toContain(decodeURIComponent(id))
    },
  )
})

describe('the list', () => {
  test.each([
    ['plain brackets', () => `?ids[]=${first.id}&ids[]=${second.id}`],
    ['encoded brackets', () => `?ids%5B%5D=${first.id}&ids%5B%5D=${second.id}`],
    ['encoded brackets in lower case', () => `?ids%5b%5d=${first.id}&ids%5b%5d=${second.id}`],
    ['both mixed', () => `?ids[]=${first.id}&ids%5B%5D=${second.id}`],
    ['other parameters beside them', () => `?page=2&ids[]=${first.id}&x[y]=z&ids[]=${second.id}&ids=5`],
  ])('reads ids with %s', async (_, query) => {
    const answer = await list(query())
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ team_memberships: [first, second] })
  })

  test('of one id is a list of one', async () => {
    expect((await list(`?ids[]=${second.id}`)).body).toEqual({ team_memberships: [second] })
  })

  test('keeps the order of the request and gives duplicates once', async () => {
    const answer = await list(`?ids[]=${second.id}&ids[]=${first.id}&ids[]=${second.id}`)
    expect(answer.body.team_memberships).toEqual([second, first])
  })

  test('leaves out ids that do not exist', async () => {
    const answer = await list(`?ids[]=99999999&ids[]=${first.id}&ids[]=9007199254740991`)
    expect(answer.status).toBe(200)
    expect(answer.body.team_memberships).toEqual([first])
    expect((await list('?ids[]=99999999')).body).toEqual({ team_memberships: [] })
  })

  test.each(['', '?', '?ids=1', '?ids[0]=1', '?id[]=1'])('without `ids[]` (%j) is a 400', async query => {
    const answer = await refusal(query)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ code: 'BAD_USER_INPUT', status: 400 })
    expect(answer.body.detail).toContain('ids[]')
  })

  test('takes 1,000 ids and refuses 1,001, saying so', async () => {
    const ids = (count: number) =>
      `?${Array.from({ length: count }, (_, index) => `ids[]=${index + 1}`).join('&')}`
    const allowed = await list(ids(1000))
    expect(allowed.status).toBe(200)
    expect(allowed.body.team_memberships).toEqual([first, second])
    const refused = await refusal(ids(1001))
    expect(refused.status).toBe(400)
    expect(refused.body.detail).toMatch(/1,?000/)
  })

  test('takes 1,000 ids of the greatest length, brackets encoded', async () => {
    const ids = Array.from({ length: 1000 }, (_, index) => Number.MAX_SAFE_INTEGER - index)
    const answer = await list(`?${[first.id, ...ids.slice(1)].map(id => `ids%5B%5D=${id}`).join('&')}`)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ team_memberships: [first] })
  })

  test.each([
    'abc',
    '0',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    '9007199254740992',
    '99999999999999999999',
    '1,2',
    'NaN',
  ])('with the value %s is a 400 that names it', async value => {
    const answer = await refusal(`?ids[]=${first.id}&ids[]=${value}`)
    expect(answer.status).toBe(400)
    expect(answer.body.code).toBe('BAD_USER_INPUT')
    expect(answer.body.detail).toContain(value)
  })

  test('with an empty value is a 400', async () => {
    expect((await refusal(`?ids[]=${first.id}&ids[]=`)).status).toBe(400)
  })

  test('is not shaken by names that mean something to JavaScript', async () => {
    const answer = await list(`?__proto__[x]=1&constructor[prototype][y]=1&ids[]=${first.id}`)
    expect(answer.body).toEqual({ team_memberships: [first] })
  })
})
