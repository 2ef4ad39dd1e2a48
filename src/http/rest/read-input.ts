import { z } from 'zod'
import { RostrumError } from '../../errors.ts'
import type { InputMember, Operation } from '../../operations/operation.ts'
import { jsonId, jsonObject, mustBe, readBody } from '../body/content/read-body.ts'
import { readIfMatch } from './if-match.ts'
import type { RestRequest } from './rest-row.ts'

type Values = Readonly<Record<string, unknown>>

// Accepts any JSON value except null, which cannot be case data. `readJson` checks the rest.
const json = z.custom<unknown>(value => value !== undefined && value !== null, {
  error: mustBe('a JSON object'),
})

const detail = z.string({ error: mustBe('text or null') }).nullable()

/**
 * Returns a function that reads the `input` of an operation from a body such as `{"team_membership":{…}}`. It throws
 * `BAD_USER_INPUT` with a pointer to each bad field. Members that the body leaves out stay absent, because null would
 * change them.
 */
export function createInputReader({ input, needsOneOf, answer }: Operation) {
  const { name: wrapper } = answer
  const members = input.filter(({ kind }) => !beside.has(kind))
  const besideBody = input.filter(({ kind }) => beside.has(kind))
  // Fields that an answer contains are ignored, so that clients can send a record back as they read it.
  const returned = answer.members.map(({ name }) => [name, z.unknown().optional()])
  const inputs = members.map(member => [member.name, schemaOf(member)])
  const fields = Object.fromEntries([...returned, ...inputs])
  const shape = jsonObject({ [wrapper]: jsonObject(fields, 'an object') }, 'a JSON object')

  return (request: RestRequest): Values => {
    const given = readBody(shape, request.body, request.isStrict)[wrapper] as Values
    const values: Record<string, unknown> = {}
    for (const member of besideBody) values[member.field] = readBeside(member, request)
    for (const { name, field } of members) if (given[name] !== undefined) values[field] = given[name]
    if (needsOneOf !== null && Object.keys(values).length === 0) throw nothingGiven(wrapper, needsOneOf)
    return values
  }
}

// Kinds of input members that do not come from the body.
const beside: ReadonlySet<InputMember['kind']> = new Set(['path', 'ifMatch', 'constant'])

function readBeside({ kind, byDefault }: InputMember, { id, ifMatch }: RestRequest): unknown {
  if (kind === 'constant') return byDefault
  return kind === 'path' ? id : readIfMatch(ifMatch)
}

function schemaOf({ kind, isRequired }: InputMember): z.ZodType {
  const schema = kind === 'id' ? jsonId : kind === 'json' ? json : detail
  return isRequired ? schema : schema.optional()
}

function nothingGiven(wrapper: string, names: string): RostrumError {
  return new RostrumError('BAD_USER_INPUT', `Give ${names}.`, {
    fields: [{ pointer: `/${wrapper}`, detail: `must have ${names}` }],
  })
}
