import { beforeAll, describe, expect, test } from 'vitest'
import { type SharedServer, shareReplicas, shareServer } from '../server/share-server.ts'

interface CaseBody {
  readonly case: { readonly id: number; readonly version: number }
}

interface Event {
  readonly kind: string
  readonly version: number
}

const path = '/platform/cases'
const rounds = 30
const ifFirst = { headers: { 'if-match': '"1"' } }
const dataOf = (owner: string) => ({ body: { case: { case_type_code: 'raced', data: { owner } } } })

describe.each([
  ['SQLite', async () => [await shareServer()] as const],
  ['two gateways of one PostgreSQL', shareReplicas],
])('a save and a delete of one version at once, on %s', (_, share) => {
  let server: SharedServer
  let other: SharedServer
  beforeAll(async () => {
    const [first, second = first] = await share()
    server = first
    other = second
    await server.graphql(
      'mutation { saveCaseType(input: {code: "raced", indexedFields: ["owner"]}) { code } }',
    )
  })

  const readEvents = async (id: number) => {
    const { body } = await server.graphql<{ caseEvents: { edges: { node: Event & { caseId: string } }[] } }>(
      '{ caseEvents(first: 1000) { edges { node { kind version caseId } } } }',
    )
    const events = body.data?.caseEvents.edges.map(({ node }) => node) ?? []
    return events.filter(({ caseId }) => caseId === String(id)).map(({ kind, version }) => [kind, version])
  }
  const findOwned = async (owner: string) => {
    const filter = { caseTypeCode: 'raced', where: [{ field: 'owner', in: [owner] }] }
    const { body } = await server.graphql<{ cases: { edges: { node: { id: string } }[] } }>(
      'query($filter: CaseFilter) { cases(filter: $filter) { edges { node { id } } } }',
      { filter },
    )
    return body.data?.cases.edges.map(({ node }) => Number(node.id)) ?? []
  }

  test('one of them succeeds, the other gets 412 or 404, and the events end with what is stored', async () => {
    const seen = new Set<string>()
    for (let round = 0; round < rounds; round += 1) {
      const { id } = (await server.rest<CaseBody>('POST', path, dataOf(`before ${round}`))).body.case
      const save = () => server.rest('PUT', `${path}/${id}`, { ...dataOf(`after ${round}`), ...ifFirst })
      const remove = () => other.rest('DELETE', `${path}/${id}`, ifFirst)
      const answers = round % 2 === 0 ? [save(), remove()] : [remove(), save()].toReversed()
      const [saved, removed] = (await Promise.all(answers)).map(({ status }) => status)
      seen.add(`${saved} ${removed}`)
      const isSaved = saved === 200
      expect([
        [200, 412],
        [404, 204],
        [412, 204],
      ]).toContainEqual([saved, removed])
      const last = isSaved ? ['SAVED', 2] : ['DELETED', 1]
      expect(await readEvents(id)).toEqual([['CREATED', 1], last])
      expect((await server.rest('GET', `${path}/${id}`)).status).toBe(isSaved ? 200 : 404)
      expect(await findOwned(`before ${round}`)).toEqual([])
      expect(await findOwned(`after ${round}`)).toEqual(isSaved ? [id] : [])
    }
    // Both orders occur, or the race was none.
    expect(seen.size).toBeGreaterThan(1)
  })
})
