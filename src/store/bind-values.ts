import { is, Placeholder } from 'drizzle-orm'
import type { Values } from './dialect.ts'

/** A function from named values to the parameters of a statement, after those that come `before` them. */
export function createBindValues(params: readonly unknown[], encode = (value: unknown) => value) {
  const names = params.map(param => (is(param, Placeholder) ? param.name : null))
  return (values: Values, before: readonly unknown[] = []): unknown[] => {
    const bound = [...before]
    for (const [index, name] of names.entries()) {
      bound.push(encode(name === null ? params[index] : takeValue(values, name)))
    }
    return bound
  }
}

function takeValue(values: Values, name: string): unknown {
  const value = values[name]
  if (value === undefined) throw new Error(`A statement was given no value for \`${name}\`.`)
  return value
}
