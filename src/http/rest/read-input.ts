import { z } from 'zod'
import { RostrumError } from '../../errors.ts'
import { fieldOf, type RecordShape } from '../../operations/operation.ts'
import { jsonId, jsonObject, mustBe, readBody } from '../body/content/read-body.ts'
import type { RestRequest } from './rest-row.ts'

type Values = Readonly<Record<string, unknown>>

/** How a row reads the `input` of its operation. */
export interface RestInput {
  /** The members of the record in the body that are read, by their names. */
  readonly members: Readonly<Record<string, z.ZodType>>
  /** Reads the values that do not come from the body. */
  readonly beside?: (request: RestRequest) => Values
  /** Names the members of which a request needs at least one, for messages. */
  readonly needsOneOf?: string
}

/** An integer id. */
export const id = jsonId

/** Text or null. One that is left out stays as it is. */
export const text = z.string({ error: mustBe('text or null') }).nullable()

/** Any JSON value except null, which cannot be case data. `readJson` checks the rest. */
export const json = z.custom<unknown>(value => value !== undefined && value !== null, {
  error: mustBe('a JSON object'),
})

/**
 * Returns a function that reads the `input` of an operation from a body such as `{"team_membership":{…}}`. It throws
 * `BAD_USER_INPUT` with a pointer to each bad field. Members that the body leaves out stay absent, because null would
 * change them.
 */
export function createInputReader({ members, beside, needsOneOf }: RestInput, answer: RecordShape) {
  const { name: wrapper } = answer
  // Fields that an answer contains are ignored, so that clients can send a record back as they read it.
  const returned = answer.members.map(({ name }) => [name, z.unknown().optional()])
  const fields = { ...Object.fromEntries(returned), ...members }
  const shape = jsonObject({ [wrapper]: jsonObject(fields, 'an object') }, 'a JSON object')
  const names = Object.keys(members).map(name => ({ name, field: fieldOf(name) }))

  return (request: RestRequest): Values => {
    const given = readBody(shape, request.body, request.isStrict)[wrapper] as Values
    const values: Record<string, unknown> = { ...beside?.(request) }
    for (const { name, field } of names) if (given[name] !== undefined) values[field] = given[name]
    if (needsOneOf !== undefined && Object.keys(values).length === 0) throw nothingGiven(wrapper, needsOneOf)
    return values
  }
}

function nothingGiven(wrapper: string, names: string): RostrumError {
  return new RostrumError('BAD_USER_INPUT', `Give ${names}.`, {
    fields: [{ pointer: `/${wrapper}`, detail: `must have ${names}` }],
  })
}
