import { is, Placeholder } from 'drizzle-orm'
import type { Values } from './dialect.ts'

/** A function from named values to the parameters of a statement. */
export function createBindValues(params: readonly unknown[]): (values: Values) => unknown[] {
  const names = params.map(param => (is(param, Placeholder) ? param.name : null))
  return values => names.map((name, index) => (name === null ? params[index] : takeValue(values, name)))
}

function takeValue(values: Values, name: string): unknown {
  const value = values[name]
  if (value === undefined) throw new Error(`A statement was given no value for \`${name}\`.`)
  return value
}
