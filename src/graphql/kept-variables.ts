import type { Variables } from './bounds/read-argument.ts'
import type { PreparedOperation } from './document-cache.ts'

/** The variables that an operation declares. What else was sent means nothing, and a stream would keep it as long as it lasts. */
export function keepDeclared(
  { node }: PreparedOperation,
  variables: Variables | null | undefined,
): Variables {
  const given = variables ?? {}
  const kept: Record<string, unknown> = Object.create(null)
  for (const { variable } of node?.variableDefinitions ?? []) {
    const name = variable.name.value
    if (Object.hasOwn(given, name)) kept[name] = given[name]
  }
  return kept
}

const bytesPerValue = 64

/** What variables take in memory, about; they are bounded in number before. */
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
