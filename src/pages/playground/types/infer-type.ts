const maxDepth = 8
const maxMembers = 200
// A list of one kind of objects may have a member in the last of them only.
const maxElements = 10_000

/** Returns the TypeScript type of a JSON document; `any` if the text is no JSON, because it is still being written. */
export function inferType(text: string): string {
  try {
    return typeOf([JSON.parse(text)], 0)
  } catch {
    return 'any'
  }
}

// The type of a place that has each of these values. An empty list or object says nothing of what it may hold.
function typeOf(values: readonly unknown[], depth: number): string {
  if (depth > maxDepth) return 'any'
  const lists = values.filter(value => Array.isArray(value))
  const objects = values.filter(value => typeof value === 'object' && value !== null && !Array.isArray(value))
  const simple = values.filter(value => typeof value !== 'object' || value === null)
  const types = new Set<string>(simple.map(value => (value === null ? 'null' : typeof value)))
  if (lists.length > 0) types.add(listType(lists, depth))
  if (objects.length > 0) types.add(objectType(objects as readonly Record<string, unknown>[], depth))
  // A place that only holds null in this document holds something else in others.
  if (types.size === 1 && types.has('null')) return 'any'
  return [...types].join(' | ')
}

function listType(lists: readonly unknown[][], depth: number): string {
  const elements = lists.flat().slice(0, maxElements)
  return elements.length === 0 ? 'any[]' : `Array<${typeOf(elements, depth + 1)}>`
}

function objectType(objects: readonly Record<string, unknown>[], depth: number): string {
  const names = [...new Set(objects.flatMap(object => Object.keys(object)))]
  if (names.length === 0 || names.length > maxMembers) return 'Record<string, any>'
  const members = names.map(name => {
    const having = objects.filter(object => Object.hasOwn(object, name))
    const isOptional = having.length < objects.length ? '?' : ''
    return `${JSON.stringify(name)}${isOptional}: ${typeOf(
      having.map(object => object[name]),
      depth + 1,
    )}`
  })
  return `{ ${members.join('; ')} }`
}
