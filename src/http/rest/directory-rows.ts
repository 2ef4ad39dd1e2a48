import { z } from 'zod'
import { RostrumError } from '../../errors.ts'
import { mustBe, readBody } from '../body/read-body.ts'
import { row } from './rest-row.ts'

interface User {
  readonly id: string
  readonly email: string | null
  readonly displayName: string | null
}

interface Team {
  readonly id: string
  readonly name: string | null
}

const detail = z
  .string({ error: mustBe('text or null') })
  .nullable()
  .optional()

const userBody = z.object(
  { user: z.object({ email: detail, display_name: detail }, { error: mustBe('an object') }) },
  { error: mustBe('a JSON object') },
)

const teamBody = z.object(
  { team: z.object({ name: detail }, { error: mustBe('an object') }) },
  { error: mustBe('a JSON object') },
)

/** Users and teams by id (contract, section 1). */
export const directoryRows = [
  row<{ user: User | null }>('GET /platform/users/:id', {
    document: 'query ($id: ID!) { user(id: $id) { id email displayName } }',
    readVariables: ({ id }) => ({ id }),
    answer: ({ user }, { id }) => {
      if (user === null) throw new RostrumError('NOT_FOUND', `There is no user \`${id}\`.`)
      return { status: 200, body: userToRest(user) }
    },
  }),
  row<{ saveUser: User }>('PUT /platform/users/:id', {
    document: 'mutation ($input: SaveUserInput!) { saveUser(input: $input) { id email displayName } }',
    pointers: { '/email': '/user/email', '/displayName': '/user/display_name' },
    readVariables: ({ id, body }) => {
      const { email, display_name: displayName } = readBody(userBody, body).user
      return { input: { id, ...given('email', email), ...given('displayName', displayName) } }
    },
    answer: ({ saveUser }) => ({ status: 200, body: userToRest(saveUser) }),
  }),
  row<{ team: Team | null }>('GET /platform/teams/:id', {
    document: 'query ($id: ID!) { team(id: $id) { id name } }',
    readVariables: ({ id }) => ({ id }),
    answer: ({ team }, { id }) => {
      if (team === null) throw new RostrumError('NOT_FOUND', `There is no team \`${id}\`.`)
      return { status: 200, body: teamToRest(team) }
    },
  }),
  row<{ saveTeam: Team }>('PUT /platform/teams/:id', {
    document: 'mutation ($input: SaveTeamInput!) { saveTeam(input: $input) { id name } }',
    pointers: { '/name': '/team/name' },
    readVariables: ({ id, body }) => ({
      input: { id, ...given('name', readBody(teamBody, body).team.name) },
    }),
    answer: ({ saveTeam }) => ({ status: 200, body: teamToRest(saveTeam) }),
  }),
]

// A detail left out stays as it is, so it must not travel as null.
function given(name: string, value: string | null | undefined): Record<string, string | null> {
  return value === undefined ? {} : { [name]: value }
}

function userToRest({ id, email, displayName }: User) {
  return { user: { id: Number(id), email, display_name: displayName } }
}

function teamToRest({ id, name }: Team) {
  return { team: { id: Number(id), name } }
}
