import { GraphQLError } from 'graphql'
import { callResolver, type Execution, isPromise } from './call-resolver.ts'
import type { FieldNodes } from './collect-fields.ts'
import { locateError, type Path } from './collected-errors.ts'
import type { Completion, FieldPlan, SelectionPlan } from './compile-operation.ts'

export type Data = Record<string, unknown>

/** The field of a value that is being completed, and the value's position in the answer. */
interface Site {
  readonly field: FieldPlan
  readonly path: Path
}

/**
 * Executes a selection. Returns its answer or a promise for it. Throws or rejects if an error makes the whole object
 * null.
 */
export function executeFields(
  execution: Execution,
  { fields, work }: SelectionPlan,
  source: unknown,
  path: Path | undefined,
): unknown {
  execution.pace.count(work)
  const data: Data = {}
  let waiting: Promise<unknown>[] | null = null
  let keys: string[] | null = null
  try {
    for (const field of fields) {
      const leaf = readLeaf(field, source)
      const value = leaf === undefined ? executeField(execution, field, source, path) : leaf
      data[field.key] = value
      if (leaf === undefined && isPromise(value)) {
        waiting ??= []
        waiting.push(value)
        keys ??= []
        keys.push(field.key)
      }
    }
  } catch (error) {
    if (waiting === null) throw error
    // Waits for the promises that have started, because an unhandled rejection would end the process.
    return Promise.all(waiting).finally(() => {
      throw error
    })
  }
  return waiting === null || keys === null ? data : fillIn(data, keys, waiting)
}

// The fast path for most fields, which are plain properties. Returns undefined if the value needs more work or is
// wrong.
function readLeaf({ property, completion }: FieldPlan, source: unknown): unknown {
  if (property === null || completion.kind !== 'leaf' || typeof source !== 'object' || source === null) {
    return undefined
  }
  const value = (source as Data)[property]
  if (value === null) return completion.isNonNull ? undefined : null
  return completion.serializeSync(value)
}

async function fillIn(
  data: Data,
  keys: readonly string[],
  waiting: readonly Promise<unknown>[],
): Promise<Data> {
  const values = await Promise.all(waiting)
  for (const [index, key] of keys.entries()) data[key] = values[index]
  return data
}

/** Executes one field. If the field is nullable, its errors are collected and its value is null. */
export function executeField(
  execution: Execution,
  field: FieldPlan,
  source: unknown,
  parentPath: Path | undefined,
): unknown {
  const { completion } = field
  const path = pathOf(field, parentPath)
  try {
    const value = callResolver(execution, field, source, path)
    const site = { field, path }
    return isPromise(value)
      ? completeLater(execution, completion, site, value)
      : guard(execution, completion, site, complete(execution, completion, site, value))
  } catch (thrown) {
    return handleError({ execution, completion, field, path, thrown })
  }
}

function complete(execution: Execution, completion: Completion, site: Site, value: unknown): unknown {
  switch (completion.kind) {
    case 'leaf':
      return completeLeaf(completion, value, site.field)
    case 'object':
      if (isMissing(completion, value, site.field)) return null
      if (execution.pace.isOver) {
        return execution.pace.postpone(() => executeFields(execution, completion.selection, value, site.path))
      }
      return executeFields(execution, completion.selection, value, site.path)
    case 'list':
      if (isMissing(completion, value, site.field)) return null
      return completeList(execution, completion, site, value)
    default:
      return completion satisfies never
  }
}

function completeLeaf(
  completion: Extract<Completion, { kind: 'leaf' }>,
  value: unknown,
  field: FieldPlan,
): unknown {
  if (isMissing(completion, value, field)) return null
  const serialized = completion.serialize(value)
  if (serialized == null) throw new Error(`A value of the field \`${nameOf(field)}\` serializes to null.`)
  return serialized
}

function isMissing({ isNonNull }: Completion, value: unknown, field: FieldPlan): boolean {
  if (value == null) {
    if (isNonNull) throw new Error(`Cannot return null for non-nullable field ${nameOf(field)}.`)
    return true
  }
  if (typeof value === 'object' && value instanceof Error) throw value
  return false
}

function completeList(
  execution: Execution,
  { item }: Extract<Completion, { kind: 'list' }>,
  { field, path: prev }: Site,
  list: unknown,
): unknown {
  if (!isIterableObject(list)) {
    throw new GraphQLError(`Expected Iterable, but did not find one for field "${nameOf(field)}".`)
  }
  const items: readonly unknown[] = Array.isArray(list) ? list : [...list]
  const completed: unknown[] = []
  let isWaiting = false
  try {
    for (const value of items) {
      const path = { prev, key: completed.length, typename: undefined }
      const done = completeItem(execution, item, { field, path }, value)
      if (isPromise(done)) isWaiting = true
      completed.push(done)
    }
  } catch (error) {
    // Other items may still be pending. Handle their rejections, which change nothing any more.
    Promise.allSettled([...items, ...completed])
    throw error
  }
  return isWaiting ? Promise.all(completed) : completed
}

function completeItem(execution: Execution, completion: Completion, site: Site, value: unknown): unknown {
  try {
    if (isPromise(value)) return completeLater(execution, completion, site, value)
    return guard(execution, completion, site, complete(execution, completion, site, value))
  } catch (thrown) {
    return handleError({ execution, completion, ...site, thrown })
  }
}

// Completes a promised value. It uses two `then` steps like graphql-js, so that simultaneous errors keep their order.
function completeLater(
  execution: Execution,
  completion: Completion,
  site: Site,
  value: Promise<unknown>,
): Promise<unknown> {
  return value
    .then(resolved => complete(execution, completion, site, resolved))
    .then(undefined, thrown => handleError({ execution, completion, ...site, thrown }))
}

// Handles the later failure of a value whose selection is still executing.
function guard(execution: Execution, completion: Completion, site: Site, completed: unknown): unknown {
  if (completion.kind === 'leaf' || !isPromise(completed)) return completed
  return completed.then(undefined, thrown => handleError({ execution, completion, ...site, thrown }))
}

interface Failure extends Site {
  readonly execution: Execution
  readonly completion: Completion
  readonly thrown: unknown
}

// Collects the error and returns null for a nullable value. Throws the error to the parent for a non-null value.
function handleError({ execution, completion, field, path, thrown }: Failure): null {
  const error = locateError(thrown, field.nodes as FieldNodes, path)
  if (completion.isNonNull) throw error
  execution.collected.add(error, path)
  return null
}

function pathOf({ key, parentType }: FieldPlan, prev: Path | undefined): Path {
  return { prev, key, typename: parentType.name }
}

function nameOf({ parentType, field }: FieldPlan): string {
  return `${parentType.name}.${field.name}`
}

function isIterableObject(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}
