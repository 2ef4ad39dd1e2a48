import type { GatewayClient } from '../../server/clients/gateway-client.ts'
import type { Answer } from '../../server/clients/send-request.ts'

/** One row of each kind of an account, by their ids. */
export interface Ids {
  readonly membership: number
  readonly user: number
  readonly team: number
  readonly case: number
  readonly function: number
  readonly hook: number
  readonly task: number
  readonly webhook: number
}

export type Operation = (server: GatewayClient, ids: Ids, token: string) => Promise<Answer>

const rest =
  (
    method: string,
    path: (ids: Ids) => string,
    extra: { body?: unknown; headers?: Record<string, string> } = {},
  ): Operation =>
  (server, ids, token) =>
    server.rest(method, path(ids), { token, ...extra })

const toVariables = (ids: Ids) => ({
  m: ids.membership,
  u: ids.user,
  t: ids.team,
  c: ids.case,
  f: ids.function,
  h: ids.hook,
  k: ids.task,
  w: ids.webhook,
})

const graphql =
  (query: string): Operation =>
  (server, ids, token) =>
    server.graphql(query, toVariables(ids), token)

// The answer is what the script saw: a value or the message of a rejection.
const script =
  (expression: string): Operation =>
  async (server, ids, token) => {
    const sourceCode = `const { m, u, t, c, f, h, k, w } = payload
      exit(await (${expression}).then(value => ({ value }), error => ({ rejected: String(error.message) })))`
    const inputDocument = toVariables(ids)
    const answer = await server.execute({ sourceCode, inputDocument }, { token })
    const { outcome, payload, error } = answer.body.task_execution
    return { ...answer, text: JSON.stringify({ outcome, payload, error }) }
  }

export const membershipPath = (ids: Ids) => `/platform/team_memberships/${ids.membership}`
const move = { body: { team_membership: { team_id: 9 } } }

export const casePath = (ids: Ids) => `/platform/cases/${ids.case}`
const save = { body: { case: { data: { a: 9 } } } }
const version = { headers: { 'if-match': '"7"' } }

const hook = '{caseTypeCode: "wall", event: PRE_SAVE, functionId: $f}'
const webhook = '{name: "wall", verification: GITHUB, functionId: $f}'
const task = '{caseTypeCode: "wall", name: "wall", functionId: $f}'

const [moved, movedAtVersion] = ['[{id: $m, teamId: 9}]', '[{id: $m, teamId: 9, ifVersions: [7]}]']
const bulk = '{ applied items { teamMembership { id userId } error { code message existingId version } } }'

/** Every operation that takes an id, on both sides and through a script. */
export const operations: [string, Operation][] = [
  ['GET of a membership', rest('GET', membershipPath)],
  ['GET of a list', rest('GET', ids => `/platform/team_memberships?ids[]=${ids.membership}`)],
  ['PUT', rest('PUT', membershipPath, move)],
  ['PUT with a matching version', rest('PUT', membershipPath, { ...move, headers: { 'if-match': '"1"' } })],
  ['PUT with another version', rest('PUT', membershipPath, { ...move, headers: { 'if-match': '"7"' } })],
  ['PUT with any version', rest('PUT', membershipPath, { ...move, headers: { 'if-match': '*' } })],
  ['DELETE', rest('DELETE', membershipPath)],
  ['DELETE with a version', rest('DELETE', membershipPath, { headers: { 'if-match': '"1"' } })],
  ['GET of a user', rest('GET', ids => `/platform/users/${ids.user}`)],
  ['GET of a team', rest('GET', ids => `/platform/teams/${ids.team}`)],
  ['teamMembership', graphql('query($m: ID!) { teamMembership(id: $m) { id userId user { email } } }')],
  ['teamMemberships', graphql('query($m: ID!) { teamMemberships(ids: [$m]) { id userId } }')],
  ['user', graphql('query($u: ID!) { user(id: $u) { id email memberships { edges { cursor } } } }')],
  ['team', graphql('query($t: ID!) { team(id: $t) { id name memberships { edges { cursor } } } }')],
  [
    'moveTeamMembership',
    graphql('mutation($m: ID!) { moveTeamMembership(id: $m, input: {teamId: 9}) { userId } }'),
  ],
  ['removeTeamMembership', graphql('mutation($m: ID!) { removeTeamMembership(id: $m) { userId } }')],
  ['moveTeamMemberships', graphql(`mutation($m: ID!) { moveTeamMemberships(items: ${moved}) ${bulk} }`)],
  [
    'moveTeamMemberships, partial',
    graphql(`mutation($m: ID!) { moveTeamMemberships(items: ${moved}, mode: PARTIAL) ${bulk} }`),
  ],
  [
    'moveTeamMemberships, at a version',
    graphql(`mutation($m: ID!) { moveTeamMemberships(items: ${movedAtVersion}) ${bulk} }`),
  ],
  [
    'moveTeamMemberships, partial, at a version',
    graphql(`mutation($m: ID!) { moveTeamMemberships(items: ${movedAtVersion}, mode: PARTIAL) ${bulk} }`),
  ],
  [
    'removeTeamMemberships',
    graphql(`mutation($m: ID!) { removeTeamMemberships(items: [{id: $m}]) ${bulk} }`),
  ],
  ['Platform.teamMemberships.get', script('Platform.teamMemberships.get(m)')],
  ['Platform.teamMemberships.list', script('Platform.teamMemberships.list([m])')],
  ['Platform.teamMemberships.move', script('Platform.teamMemberships.move(m, { team_id: 9 })')],
  ['Platform.teamMemberships.remove', script('Platform.teamMemberships.remove(m)')],
  ['Platform.users.get', script('Platform.users.get(u)')],
  ['Platform.teams.get', script('Platform.teams.get(t)')],
  [
    'graphql() reading',
    script(
      'graphql("query($m: ID!, $u: ID!) { teamMembership(id: $m) { id } user(id: $u) { id } }", { m, u })',
    ),
  ],
  [
    'graphql() moving',
    script(`graphql('mutation($m: ID!) { moveTeamMembership(id: $m, input: {teamId: "9"}) { id } }', { m })`),
  ],
  [
    'graphql() removing',
    script('graphql("mutation($m: ID!) { removeTeamMembership(id: $m) { id } }", { m })'),
  ],
  ['GET of a case', rest('GET', casePath)],
  ['GET of a list of cases', rest('GET', ids => `/platform/cases?ids[]=${ids.case}`)],
  ['PUT of a case', rest('PUT', casePath, save)],
  ['PUT of a case with a version', rest('PUT', casePath, { ...save, ...version })],
  ['PATCH of a case', rest('PATCH', casePath, save)],
  ['DELETE of a case', rest('DELETE', casePath)],
  ['DELETE of a case with a version', rest('DELETE', casePath, version)],
  ['case', graphql('query($c: ID!) { case(id: $c) { id data events { nodes { cursor } } } }')],
  ['casesByIds', graphql('query($c: ID!) { casesByIds(ids: [$c]) { id data } }')],
  ['saveCase', graphql('mutation($c: ID!) { saveCase(input: {id: $c, data: {a: 9}}) { saved } }')],
  [
    'saveCase, dry',
    graphql('mutation($c: ID!) { saveCase(input: {id: $c, data: {}, dryRun: true}) { changedFields } }'),
  ],
  [
    'saveCase with a version and a type',
    graphql(
      'mutation($c: ID!) { saveCase(input: {id: $c, caseTypeCode: "x", data: {}, ifVersions: [1]}) { saved } }',
    ),
  ],
  ['deleteCase', graphql('mutation($c: ID!) { deleteCase(id: $c) { id } }')],
  ['function', graphql('query($f: ID!) { function(id: $f) { name live { sourceCode } } }')],
  ['makeVersionLive', graphql('mutation($f: ID!) { makeVersionLive(functionId: $f, hash: "x") { id } }')],
  ['removeFunction', graphql('mutation($f: ID!) { removeFunction(id: $f) { name } }')],
  ['saveHook of a function', graphql(`mutation($f: ID!) { saveHook(input: ${hook}) { id } }`)],
  [
    'saveHook, changing one',
    graphql(`mutation($f: ID!, $h: ID!) { saveHook(input: ${hook.replace('{', '{id: $h, ')}) { id } }`),
  ],
  ['saveWebhook of a function', graphql(`mutation($f: ID!) { saveWebhook(input: ${webhook}) { secret } }`)],
  [
    'saveWebhook, changing one',
    graphql(
      `mutation($f: ID!, $w: ID!) { saveWebhook(input: ${webhook.replace('{', '{id: $w, ')}) { webhook { id } } }`,
    ),
  ],
  ['rotateWebhookSecret', graphql('mutation($w: ID!) { rotateWebhookSecret(id: $w) { secret } }')],
  ['removeWebhook', graphql('mutation($w: ID!) { removeWebhook(id: $w) { name function { name } } }')],
  [
    'graphql() rotating a secret',
    script("graphql('mutation($w: ID!) { rotateWebhookSecret(id: $w, overlapHours: 0) { secret } }', { w })"),
  ],
  ['removeHook', graphql('mutation($h: ID!) { removeHook(id: $h) { event function { name } } }')],
  ['saveCaseTask of a function', graphql(`mutation($f: ID!) { saveCaseTask(input: ${task}) { id } }`)],
  [
    'saveCaseTask, changing one',
    graphql(`mutation($f: ID!, $k: ID!) { saveCaseTask(input: ${task.replace('{', '{id: $k, ')}) { id } }`),
  ],
  ['removeCaseTask', graphql('mutation($k: ID!) { removeCaseTask(id: $k) { name } }')],
  ['graphql() removing a hook', script("graphql('mutation($h: ID!) { removeHook(id: $h) { id } }', { h })")],
  [
    'graphql() saving a hook',
    script(`graphql('mutation($f: ID!) { saveHook(input: ${hook}) { id } }', { f })`),
  ],
  [
    'graphql() removing a case task',
    script("graphql('mutation($k: ID!) { removeCaseTask(id: $k) { id } }', { k })"),
  ],
  ['POST of a case task', rest('POST', ids => `/api/1/case/${ids.case}/task/triage`, { body: {} })],
  [
    'POST of a case task with a version',
    rest('POST', ids => `/api/1/case/${ids.case}/task/triage`, { body: { dry_run: true }, ...version }),
  ],
  [
    'runCaseTask',
    graphql('mutation($c: ID!) { runCaseTask(caseId: $c, name: "triage") { execution { outcome } } }'),
  ],
  ['Platform.cases.runTask', script("Platform.cases.runTask(c, 'triage', {})")],
  ['Platform.cases.get', script('Platform.cases.get(c)')],
  ['Platform.cases.list', script('Platform.cases.list([c])')],
  ['Platform.cases.save', script('Platform.cases.save({ id: c, data: {}, merge: true })')],
  ['Platform.cases.delete', script('Platform.cases.delete(c, { if_version: 1 })')],
]
