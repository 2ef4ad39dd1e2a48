import { is, Param, Placeholder } from 'drizzle-orm'
import type { Values } from './dialect.ts'

/** A function from named values to the parameters of a statement, each encoded as its column says. */
export function createBindValues(params: readonly unknown[]): (values: Values) => unknown[] {
  const readers = params.map(createReadValue)
  return values => readers.map(read => read(values))
}

function createReadValue(param: unknown): (values: Values) => unknown {
  if (is(param, Placeholder)) return values => takeValue(values, param.name)
  if (!is(param, Param)) return () => param
  const { value, encoder } = param
  if (!is(value, Placeholder)) return () => encoder.mapToDriverValue(value)
  return values => {
    const given = takeValue(values, value.name)
    return given === null ? null : encoder.mapToDriverValue(given)
  }
}

function takeValue(values: Values, name: string): unknown {
  const value = values[name]
  if (value === undefined) throw new Error(`A statement was given no value for \`${name}\`.`)
  return value
}
