import { RostrumError } from '../../errors.ts'
import { type ParametersRequest, parseParameters } from '../request/parse-parameters.ts'
import { decodeBody, memoryOf, type ReserveMemory } from './json-body.ts'

const maxFields = 100

/** Parses the fields of a form into an object without prototype. Throws `BAD_USER_INPUT` if a name occurs twice. */
export function parseFormBody(
  body: Buffer,
  reserveMemory: ReserveMemory = () => undefined,
): Record<string, string> {
  reserveMemory(memoryOf(body.length, 0))
  return parseFields<string>({ text: decodeBody(body), maxFields, what: 'A form' }, name => {
    throw new RostrumError(
      'BAD_USER_INPUT',
      `The form has the field \`${name.slice(0, 100)}\` more than once.`,
    )
  })
}

/**
 * Parses parameters into an object without prototype. `join` returns the value of a name that occurs again. Throws
 * `BAD_USER_INPUT` like `parseParameters`, also for escapes that are not UTF-8.
 */
export function parseFields<Value>(
  request: Omit<ParametersRequest, 'fatal'>,
  join: (name: string, before: Value | string, value: string) => Value,
): Record<string, Value | string> {
  const fields: Record<string, Value | string> = Object.create(null)
  for (const [name, value] of parseParameters({ ...request, fatal: true })) {
    const before = fields[name]
    fields[name] = before === undefined ? value : join(name, before, value)
  }
  return fields
}
