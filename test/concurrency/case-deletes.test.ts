import { beforeAll, describe, expect, test } from 'vitest'
import { type SharedServer, shareReplicas, shareServer } from '../server/gateways/share-server.ts'

interface CaseBody {
  readonly case: { readonly id: number; readonly version: number }
}

interface Event {
  readonly kind: string
  readonly version: number
  readonly caseId: string
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

  const readEvents = async () => {
    const { body } = await server.graphql<{ caseEvents: { edges: { node: Event }[] } }>(
      '{ caseEvents(first: 1000) { edges { node { kind version caseId } } } }',
    )
    return Map.groupBy(body.data?.caseEvents.edges.map(({ node }) => node) ?? [], ({ caseId }) =>
      Number(caseId),
    )
  }
  const findOwned = async (owners: readonly string[]) => {
    const filter = { caseTypeCode: 'raced', where: [{ field: 'owner', in: owners }] }
    const { body } = await server.graphql<{ cases: { edges: { node: { id: string } }[] } }>(
      'query($filter: CaseFilter) { cases(filter: $filter, first: 100) { edges { node { id } } } }',
      { filter },
    )
    return body.data?.cases.edges.map(({ node }) => Number(node.id))
  }

  test('one of them succeeds, the other gets 412 or 404, and the events end with what is stored', async () => {
    const ids: number[] = []
    const saved: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const { id } = (await server.rest<CaseBody>('POST', path, dataOf(`before ${round}`))).body.case
      const save = () => server.rest('PUT', `${path}/${id}`, { ...dataOf(`after ${round}`), ...ifFirst })
      const remove = () => other.rest('DELETE', `${path}/${id}`, ifFirst)
      const answers = round % 2 === 0 ? [save(), remove()] : [remove(), save()].toReversed()
      const statuses = (await Promise.all(answers)).map(({ status }) => status)
      expect([
        [200, 412],
        [404, 204],
        [412, 204],
      ]).toContainEqual(statuses)
      ids.push(id)
      if (statuses[0] === 200) saved.push(id)
    }

    const events = await readEvents()
    for (const id of ids) {
      const last = saved.includes(id) ? ['SAVED', 2] : ['DELETED', 1]
      expect(events.get(id)?.map(({ kind, version }) => [kind, version])).toEqual([['CREATED', 1], last])
    }
    const ownersOf = (when: string) => ids.map((_, round) => `${when} ${round}`)
    expect(await findOwned(ownersOf('before'))).toEqual([])
    expect(await findOwned(ownersOf('after'))).toEqual(saved)
  })
})
