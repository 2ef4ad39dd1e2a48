import {
  accountCode,
  caseDataOf,
  caseTypes,
  emailOf,
  membershipOf,
  sampleScript,
  seeded,
  teamNameOf,
  userNameOf,
} from '../figures/data.ts'

export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly status: number
  /** How the answer's body must begin; an error never does. */
  readonly answerStart: string
  /** A load of more than its account's share: it may also be refused as overloaded. */
  readonly mayBeRefused?: boolean
}

const restPath = '/platform/team_memberships'
const pointQuery = 'query ($id: ID!) { teamMembership(id: $id) { id userId teamId leader } }'
const listQuery = 'query ($ids: [ID!]!) { teamMemberships(ids: $ids) { id userId teamId leader } }'
const nestedQuery = `query ($ids: [ID!]!) {
  teamMemberships(ids: $ids) { id leader user { id email displayName } team { id name } }
}`
const addQuery = `mutation ($input: AddTeamMembershipInput!) {
  addTeamMembership(input: $input) { id userId teamId leader }
}`
const moveQuery = `mutation ($id: ID!, $input: MoveTeamMembershipInput!) {
  moveTeamMembership(id: $id, input: $input) { id userId teamId leader }
}`

const [plain, hooked, large, queued, fanned] = caseTypes

// Just under the maximum with the other fields of a large case.
const megabyte = Array.from({ length: 10_000 }, (_, row) => ({
  row,
  text: 'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod.',
}))

// 88 KB of JSON.
const items = Array.from({ length: 1_877 }, (_, id) => ({ id, name: `name ${id}`, tags: ['a', 'b'] }))

// 256 KiB, the maximum.
const largestDelivery = `"${'x'.repeat(2 ** 18 - 2)}"`

// Steps through the data so that neighbours in time are not neighbours in the file.
const idAt = (n: number) => 1 + ((n * 7_919) % seeded.memberships)
const idsAt = (n: number, count: number) => Array.from({ length: count }, (_, i) => idAt(n * 31 + i))

const traffic = {
  pointRead: n => graphqlRead(idAt(n), pointQuery),
  endlessDocuments: n =>
    graphqlRead(idAt(n), `query Q${n} ($id: ID!) { teamMembership(id: $id) { id userId teamId leader } }`),
  restRead: n => {
    const { id, userId, teamId } = membershipOf(idAt(n))
    return {
      method: 'GET',
      path: `${restPath}/${id}`,
      status: 200,
      answerStart: `{"team_membership":{"id":${id},"user_id":${userId},"team_id":${teamId},"leader":null}}`,
    }
  },
  list: n => {
    const ids = idsAt(n % 16, 1_000)
    const first = membershipOf(ids[0] ?? 0)
    return graphql({
      query: listQuery,
      variables: { ids: ids.map(String) },
      answerStart: `{"data":{"teamMemberships":[{"id":"${first.id}","userId":"${first.userId}",`,
    })
  },
  nestedList: n => {
    const ids = idsAt(n % 16, 100)
    const { id, userId, teamId } = membershipOf(ids[0] ?? 0)
    const user = { id: String(userId), email: emailOf(userId), displayName: userNameOf(userId) }
    const team = { id: String(teamId), name: teamNameOf(teamId) }
    const first = JSON.stringify({ id: String(id), leader: null, user, team })
    return graphql({
      query: nestedQuery,
      variables: { ids: ids.map(String) },
      answerStart: `{"data":{"teamMemberships":[${first},`,
    })
  },
  restAdd: n => {
    const { userId, teamId } = newPair(n, 1_000)
    return {
      method: 'POST',
      path: restPath,
      body: JSON.stringify({ team_membership: { user_id: userId, team_id: teamId } }),
      status: 201,
      answerStart: '{"team_membership":{"id":',
    }
  },
  graphqlAdd: n => {
    const { userId, teamId } = newPair(n, 500_000)
    return graphql({
      query: addQuery,
      variables: { input: { userId: String(userId), teamId: String(teamId) } },
      answerStart: '{"data":{"addTeamMembership":{"id":',
    })
  },
  restMove: n => {
    const { id, userId, teamId } = moveAt(n, 1_000_000)
    return {
      method: 'PUT',
      path: `${restPath}/${id}`,
      body: JSON.stringify({ team_membership: { team_id: teamId } }),
      status: 200,
      answerStart: `{"team_membership":{"id":${id},"user_id":${userId},"team_id":${teamId},"leader":null}}`,
    }
  },
  graphqlMove: n => {
    const { id, userId, teamId } = moveAt(n, 2_000_000)
    return graphql({
      query: moveQuery,
      variables: { id: String(id), input: { teamId: String(teamId) } },
      answerStart: `{"data":{"moveTeamMembership":{"id":"${id}","userId":"${userId}","teamId":"${teamId}"`,
    })
  },
  restList: n => {
    const ids = idsAt(n % 16, 100)
    const { id, userId, teamId } = membershipOf(ids[0] ?? 0)
    return {
      method: 'GET',
      path: `${restPath}?${ids.map(id => `ids[]=${id}`).join('&')}`,
      status: 200,
      answerStart: `{"team_memberships":[{"id":${id},"user_id":${userId},"team_id":${teamId},"leader":null}`,
    }
  },
  caseList: n => {
    const ids = Array.from({ length: 100 }, (_, index) => 1 + ((n * 31 + index * 7) % plain.count))
    return {
      method: 'GET',
      path: `/platform/cases?${ids.map(id => `ids[]=${id}`).join('&')}`,
      status: 200,
      answerStart: `{"cases":[{"id":${ids[0]},"case_type_code":"plain","data":{"title":"Case ${ids[0]}"`,
    }
  },
  caseSave: n => saveCase(plain, n, {}),
  caseSaveWithHook: n => saveCase(hooked, n, {}),
  largeCaseSave: n => saveCase(large, n, { rows: megabyte }),
  queuedCaseSave: n => saveCase(queued, n, {}),
  fannedCaseSave: n => saveCase(fanned, n, {}),
  script: n => execute(sampleScript, { total: n }),
  scriptWithCall: n =>
    execute(
      `const { data } = await graphql(${JSON.stringify(pointQuery)}, { id: ${idAt(n)} })
      log("membership", data.teamMembership.id)
      exit({ total: payload.total * 2 })`,
      { total: n },
    ),
  scriptWithDocument: n => execute('exit(payload)', { total: n, items }),
  busyLoop: () => ({
    ...execute('for (;;) {}', { total: 0 }),
    status: 422,
    answerStart: '{"task_execution":{"id":"',
    mayBeRefused: true,
  }),
  refusedDelivery: () => deliver('{"total":1}'),
  refusedLargeDelivery: () => deliver(largestDelivery),
} satisfies Record<string, (n: number) => LoadRequest>

export type TrafficKind = keyof typeof traffic

/** What a kind of load sends as its `n`-th request. */
export function requestOf(kind: TrafficKind, n: number): LoadRequest {
  return traffic[kind](n)
}

interface GraphqlParts {
  readonly query: string
  readonly variables: unknown
  readonly answerStart: string
}

function graphql({ query, variables, answerStart }: GraphqlParts): LoadRequest {
  return {
    method: 'POST',
    path: '/graphql',
    body: JSON.stringify({ query, variables }),
    status: 200,
    answerStart,
  }
}

function graphqlRead(id: number, query: string): LoadRequest {
  const { userId, teamId } = membershipOf(id)
  const answer = {
    data: {
      teamMembership: { id: String(id), userId: String(userId), teamId: String(teamId), leader: null },
    },
  }
  return graphql({ query, variables: { id: String(id) }, answerStart: JSON.stringify(answer) })
}

// A total that the case does not have yet, so that each save changes it.
function saveCase({ code, first, count }: (typeof caseTypes)[number], n: number, more: object): LoadRequest {
  const id = first + (n % count)
  const data = { ...caseDataOf(id, n + 1), ...more }
  return {
    method: 'PUT',
    path: `/platform/cases/${id}`,
    body: JSON.stringify({ case: { data } }),
    status: 200,
    answerStart: `{"case":{"id":${id},"case_type_code":"${code}","data":{"title":"Case ${id}"`,
  }
}

function execute(sourceCode: string, inputDocument: object): LoadRequest {
  return {
    method: 'POST',
    path: '/api/1/endpoint/execute',
    body: JSON.stringify({ name: 'bench', sourceCode, inputDocument, options: {} }),
    status: 200,
    answerStart: '{"task_execution":{"id":"',
  }
}

// Timely, but signed with no secret of the webhook.
function deliver(body: string): LoadRequest {
  return {
    method: 'POST',
    path: `/api/1/webhook/${accountCode}/bench`,
    headers: {
      'webhook-id': 'msg_bench',
      'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
      'webhook-signature': `v1,${'A'.repeat(43)}=`,
    },
    body,
    status: 401,
    answerStart: '{"type":"urn:rostrum:problem:unauthenticated"',
  }
}

// Users that exist, and teams that nobody is in yet: a thousand new memberships to a new team, counted from
// `firstTeam`.
function newPair(n: number, firstTeam: number): { userId: number; teamId: number } {
  return { userId: 1 + (n % seeded.users), teamId: firstTeam + Math.floor(n / seeded.users) }
}

// Every membership in turn to a team where its user is not: one that has the membership's rank, and a new one each lap.
function moveAt(n: number, firstTeam: number): { id: number; userId: number; teamId: number } {
  const { id, userId, rank } = membershipOf(1 + (n % seeded.memberships))
  return { id, userId, teamId: firstTeam + rank + 20 * Math.floor(n / seeded.memberships) }
}
