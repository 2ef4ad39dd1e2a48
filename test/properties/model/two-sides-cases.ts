import fc from 'fast-check'
import { goodId, idText } from '../values/id-texts.ts'
import { wildJson } from '../values/wild-json.ts'

/** One request as both sides take it, and the members of what they answer, under one name each. */
export interface Twins {
  readonly rest: { readonly method: string; readonly target: string; readonly body?: unknown }
  readonly graphql: { readonly query: string; readonly variables: Readonly<Record<string, unknown>> }
  /** Where the value is in the REST side's answer; GraphQL's is always `it`. */
  readonly member: string
  /** GraphQL's names of fields, as the REST side has them. */
  readonly names: Readonly<Record<string, string>>
}

const segment = (text: string) => encodeURIComponent(text.toWellFormed())

const membershipNames = { userId: 'user_id', teamId: 'team_id' }
const userNames = { displayName: 'display_name' }

const reads: fc.Arbitrary<Twins> = idText
  .filter(text => text.isWellFormed())
  .chain(id =>
    fc.constantFrom<Twins>(
      {
        rest: { method: 'GET', target: `/platform/users/${segment(id)}` },
        graphql: {
          query: 'query ($id: ID!) { it: user(id: $id) { id email displayName } }',
          variables: { id },
        },
        member: 'user',
        names: userNames,
      },
      {
        rest: { method: 'GET', target: `/platform/teams/${segment(id)}` },
        graphql: { query: 'query ($id: ID!) { it: team(id: $id) { id name } }', variables: { id } },
        member: 'team',
        names: {},
      },
      {
        rest: { method: 'GET', target: `/platform/team_memberships/${segment(id)}` },
        graphql: {
          query: 'query ($id: ID!) { it: teamMembership(id: $id) { id userId teamId leader } }',
          variables: { id },
        },
        member: 'team_membership',
        names: membershipNames,
      },
    ),
  )

const lists: fc.Arbitrary<Twins> = fc
  .array(
    idText.filter(text => text.isWellFormed()),
    { minLength: 1, maxLength: 5 },
  )
  .map(ids => ({
    rest: {
      method: 'GET',
      target: `/platform/team_memberships?${ids.map(id => `ids[]=${segment(id)}`).join('&')}`,
    },
    graphql: {
      query: 'query ($ids: [ID!]!) { it: teamMemberships(ids: $ids) { id userId teamId leader } }',
      variables: { ids },
    },
    member: 'team_memberships',
    names: membershipNames,
  }))

const detail = fc.oneof(
  fc.constantFrom(undefined, null, '', 'a@b.example', '@', 'a@b\n', '\ud800', '\0', 'x'.repeat(201)),
  fc.string({ maxLength: 10, unit: 'binary' }),
)

const saves: fc.Arbitrary<Twins> = fc
  .record({ id: idText, email: detail, name: detail })
  .chain(({ id, email, name }) =>
    fc.constantFrom<Twins>(
      {
        rest: {
          method: 'PUT',
          target: `/platform/users/${segment(id)}`,
          body: { user: { email, display_name: name } },
        },
        graphql: {
          query: 'mutation ($input: SaveUserInput!) { it: saveUser(input: $input) { id email displayName } }',
          variables: { input: { id: id.toWellFormed(), email, displayName: name } },
        },
        member: 'user',
        names: userNames,
      },
      {
        rest: { method: 'PUT', target: `/platform/teams/${segment(id)}`, body: { team: { name } } },
        graphql: {
          query: 'mutation ($input: SaveTeamInput!) { it: saveTeam(input: $input) { id name } }',
          variables: { input: { id: id.toWellFormed(), name } },
        },
        member: 'team',
        names: {},
      },
    ),
  )

// Both refuse these before any run: what comes of a run differs by its id and its times.
const tasks: fc.Arbitrary<Twins> = fc
  .record({
    name: fc.constantFrom('', ' ', 'a', 'x'.repeat(201)),
    sourceCode: fc.constantFrom('exit(1)', 'x'.repeat(300_000)),
    inputDocument: fc.constantFrom('{', '', '[1,]', '{"a":\n}', '"\t"', '{}'),
    options: fc.oneof(
      fc.constantFrom('{', 'null', '[]', '7', '""'),
      wildJson.map(value => JSON.stringify(value)),
    ),
    label: fc.constantFrom(null, '', 'x'.repeat(201)),
  })
  .filter(({ name, sourceCode, inputDocument, options, label }) => {
    const isTask = name.trim() !== '' && sourceCode.length < 10 && (label ?? '').length < 201
    return !isTask || inputDocument !== '{}' || !options.startsWith('{')
  })
  .map(({ label, ...task }) => ({
    rest: {
      method: 'POST',
      target: '/api/1/endpoint/execute',
      body: { ...task, metadata: { case_type_code: label } },
    },
    graphql: {
      query: 'mutation ($input: ExecuteTaskInput!) { it: executeTask(input: $input) { outcome } }',
      variables: { input: { ...task, metadata: { caseTypeCode: label } } },
    },
    member: 'task_execution',
    names: { caseTypeCode: 'case_type_code' },
  }))

const changes: fc.Arbitrary<Twins> = fc
  .record({ id: idText, user: fc.option(goodId, { nil: undefined }), team: fc.constantFrom(1, 2, undefined) })
  .map(({ id, user, team }) => ({
    rest: {
      method: 'PUT',
      target: `/platform/team_memberships/${segment(id)}`,
      body: { team_membership: { user_id: user, team_id: team } },
    },
    graphql: {
      query: `mutation ($id: ID!, $input: MoveTeamMembershipInput!) {
        it: moveTeamMembership(id: $id, input: $input) { id userId teamId leader }
      }`,
      variables: { id: id.toWellFormed(), input: { userId: user, teamId: team } },
    },
    member: 'team_membership',
    names: membershipNames,
  }))

/** The same read, change or refusal on both sides; each can be made twice in a row with the same answer. */
export const twins: fc.Arbitrary<Twins> = fc.oneof(reads, lists, saves, tasks, changes)
