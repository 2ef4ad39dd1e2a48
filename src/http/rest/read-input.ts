import { z } from 'zod'
import { RostrumError } from '../../errors.ts'
import type { InputMember, Operation } from '../../operations/operation.ts'
import { jsonId, jsonObject, mustBe, readBody } from '../body/read-body.ts'
import type { RestRequest } from './rest-row.ts'

type Values = Readonly<Record<string, unknown>>

const detail = z.string({ error: mustBe('text or null') }).nullable()

/**
 * Returns a function that reads the `input` of an operation from a body such as `{"team_membership":{…}}`. It throws
 * `BAD_USER_INPUT` with a pointer to each bad field. A member that is left out stays out, because null would change
 * it.
 */
export function createInputReader({ input, needsOneOf, answer: { name: wrapper } }: Operation) {
  const members = input.filter(({ kind }) => kind !== 'path')
  const inPath = input.filter(({ kind }) => kind === 'path')
  const fields = Object.fromEntries(members.map(member => [member.name, schemaOf(member)]))
  const shape = jsonObject({ [wrapper]: jsonObject(fields, 'an object') }, 'a JSON object')

  return ({ id, body }: RestRequest): Values => {
    const given = readBody(shape, body)[wrapper] as Values
    const values: Record<string, unknown> = {}
    for (const { field } of inPath) values[field] = id
    for (const { name, field } of members) if (given[name] !== undefined) values[field] = given[name]
    if (needsOneOf !== null && Object.keys(values).length === 0) throw nothingGiven(wrapper, needsOneOf)
    return values
  }
}

function schemaOf({ kind, isRequired }: InputMember): z.ZodType {
  const schema = kind === 'id' ? jsonId : detail
  return isRequired ? schema : schema.optional()
}

function nothingGiven(wrapper: string, names: string): RostrumError {
  return new RostrumError('BAD_USER_INPUT', `Give ${names}.`, {
    fields: [{ pointer: `/${wrapper}`, detail: `must have ${names}` }],
  })
}
