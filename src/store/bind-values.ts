import { is, Param, Placeholder } from 'drizzle-orm'
import type { Values } from './dialect.ts'

/** A function from named values to the parameters of a statement, after those that come `before` them. */
export function createBindValues(params: readonly unknown[], encode = (value: unknown) => value) {
  const bindings = params.map(bindingOf)
  return (values: Values, before: readonly unknown[] = []): unknown[] => {
    const bound = [...before]
    for (const [index, binding] of bindings.entries()) {
      const value = binding === null ? params[index] : takeValue(values, binding.name)
      const isEncoded = binding === null || binding.encode === null || value === null
      bound.push(encode(isEncoded ? value : binding.encode(value)))
    }
    return bound
  }
}

interface Binding {
  readonly name: string
  readonly encode: ((value: unknown) => unknown) | null
}

/** Which named value a parameter gets, and how the value is encoded. Null for a value of the statement itself. */
export function bindingOf(param: unknown): Binding | null {
  if (is(param, Placeholder)) return { name: param.name, encode: null }
  if (!is(param, Param) || !is(param.value, Placeholder)) return null
  return { name: param.value.name, encode: param.encoder.mapToDriverValue }
}

function takeValue(values: Values, name: string): unknown {
  const value = values[name]
  if (value === undefined) throw new Error(`A statement was given no value for \`${name}\`.`)
  return value
}
