import type { Variables } from './bounds/read-argument.ts'
import type { PreparedOperation } from './document-cache.ts'

/**
 * Returns only the variables that an operation declares, because a stream holds its variables in memory until it ends.
 */
export function pickDeclared(
  { node }: PreparedOperation,
  variables: Variables | null | undefined,
): Variables {
  const given = variables ?? {}
  const declared: Record<string, unknown> = Object.create(null)
  for (const { variable } of node?.variableDefinitions ?? []) {
    const name = variable.name.value
    if (Object.hasOwn(given, name)) declared[name] = given[name]
  }
  return declared
}

const bytesPerValue = 64

/** Returns the estimated memory of variables, in bytes. Their number was limited before. */
export function bytesOfVariables(variables: Variables): number {
  let bytes = 0
  const left: unknown[] = [variables]
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    bytes += bytesPerValue
    if (typeof value === 'string') bytes += 2 * value.length
    else if (typeof value === 'object' && value !== null) left.push(...Object.values(value))
  }
  return bytes
}
