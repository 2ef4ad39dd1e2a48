import { beforeAll, describe, expect, test } from 'vitest'
import { addMembership, freshId, listMemberships } from '../../server/clients/memberships.ts'
import type { ProblemBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

const path = '/platform/team_memberships'
let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

async function readTag(id: number): Promise<string> {
  return (await server.rest('GET', `${path}/${id}`)).headers.get('etag') ?? ''
}

function move(id: number, ifMatch: string) {
  return server.rest<ProblemBody>('PUT', `${path}/${id}`, {
    headers: { 'if-match': ifMatch },
    body: { team_membership: { team_id: freshId() } },
  })
}

describe('the ETag', () => {
  test('stays while nothing changes and differs after each change', async () => {
    const { id } = await addMembership(server)
    const before = await readTag(id)
    expect(before).toMatch(/^"[^"]+"$/)
    expect(await readTag(id)).toBe(before)
    const moved = await move(id, before)
    expect(moved.status).toBe(200)
    expect(moved.headers.get('etag')).not.toBe(before)
    expect(await readTag(id)).toBe(moved.headers.get('etag'))
  })
})

describe('If-Match', () => {
  test('with an old version is a 412 and changes nothing', async () => {
    const { id } = await addMembership(server)
    const old = await readTag(id)
    await move(id, old)
    const [before] = await listMemberships(server, [id])
    const answer = await move(id, old)
    expect(answer.status).toBe(412)
    expect(answer.body).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED', reason: 'VERSION' })
    expect(await listMemberships(server, [id])).toEqual([before])
  })

  test.each([
    ['a star', () => '*'],
    ['a list that has the version', (tag: string) => `"no", ${tag} , "nor-this"`],
  ])('with %s lets the change through', async (_, header) => {
    const { id } = await addMembership(server)
    expect((await move(id, header(await readTag(id)))).status).toBe(200)
  })

  test.each([
    ['a weak tag', (tag: string) => `W/${tag}`],
    ['another tag', () => '"something"'],
    ['a list without the version', () => '"a", "b"'],
  ])('with %s is a 412', async (_, header) => {
    const { id } = await addMembership(server)
    expect((await move(id, header(await readTag(id)))).status).toBe(412)
  })

  test('guards a delete as well', async () => {
    const { id } = await addMembership(server)
    const tag = await readTag(id)
    const refused = await server.rest('DELETE', `${path}/${id}`, { headers: { 'if-match': '"999"' } })
    expect(refused.status).toBe(412)
    const deleted = await server.rest('DELETE', `${path}/${id}`, { headers: { 'if-match': tag } })
    expect(deleted.status).toBe(204)
  })

  test('of an unknown id is still a 404', async () => {
    expect((await move(99_999_999, '*')).status).toBe(404)
    expect((await move(99_999_999, '"1"')).status).toBe(404)
  })

  test('lets exactly one of twenty simultaneous changes through', async () => {
    const { id } = await addMembership(server)
    const tag = await readTag(id)
    const answers = await Promise.all(Array.from({ length: 20 }, () => move(id, tag)))
    const statuses = answers.map(answer => answer.status).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 412)])
  })
})
