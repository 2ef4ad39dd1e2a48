import { escapePointer, type JsonObject, type JsonValue } from '../../json/read-json.ts'
import { isObject } from './case-data.ts'
import type { ChangedField } from './changed-fields.ts'

// Maximum length of a patch that may be longer than the data. A short patch is easy to read, and cheap.
const minMaxCharacters = 1_024

/**
 * Returns the changes as a JSON Patch (RFC 6902), one field after the other. If the operations of a field are longer
 * than its new value, they replace the whole field. If the patch is longer than one that replaces all data, it does
 * that instead (contract, section 9). `data` is the JSON of the data after the change.
 */
export function writePatch(changed: readonly ChangedField[], data: string): string {
  const whole = writeOperation('replace', '', data)
  const patch = new Patch(Math.max(minMaxCharacters, whole.length))
  for (const field of changed) {
    patch.add(...describeField(field))
    if (patch.isOver) return `[${whole}]`
  }
  return patch.toText()
}

/** A patch as JSON. Comparing stops when its operations are longer than the maximum. */
class Patch {
  readonly operations: string[] = []
  readonly #maxCharacters: number
  #characters = 0

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters
  }

  get isOver(): boolean {
    return this.#characters > this.#maxCharacters
  }

  add(...operations: readonly string[]): void {
    for (const operation of operations) {
      this.operations.push(operation)
      this.#characters += operation.length
    }
  }

  toText(): string {
    return `[${this.operations.join()}]`
  }
}

function describeField({ field, value, previous }: ChangedField): readonly string[] {
  const path = below('', field)
  if (value === undefined) return [writeRemoval(path)]
  const text = JSON.stringify(value)
  if (previous === undefined) return [writeOperation('add', path, text)]
  const patch = new Patch(text.length)
  compare(previous, value, { path, patch })
  return patch.isOver ? [writeOperation('replace', path, text)] : patch.operations
}

interface Place {
  readonly path: string
  readonly patch: Patch
}

function compare(before: JsonValue, after: JsonValue, { path, patch }: Place): void {
  if (before === after || patch.isOver) return
  if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, { path, patch })
  else if (isObject(before) && isObject(after)) compareObjects(before, after, { path, patch })
  else patch.add(writeOperation('replace', path, JSON.stringify(after)))
}

function compareLists(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  { path, patch }: Place,
): void {
  const shared = Math.min(before.length, after.length)
  for (let index = 0; index < shared && !patch.isOver; index++) {
    compareParts(before[index], after[index], { path: below(path, index), patch })
  }
  for (let index = before.length - 1; index >= shared && !patch.isOver; index--) {
    patch.add(writeRemoval(below(path, index)))
  }
  for (let index = shared; index < after.length && !patch.isOver; index++) {
    patch.add(writeOperation('add', below(path, index), JSON.stringify(after[index])))
  }
}

function compareObjects(before: JsonObject, after: JsonObject, { path, patch }: Place): void {
  for (const key of Object.keys(before)) {
    if (patch.isOver) return
    const next = Object.hasOwn(after, key) ? after[key] : undefined
    compareParts(before[key], next, { path: below(path, key), patch })
  }
  for (const key of Object.keys(after)) {
    if (patch.isOver) return
    if (!Object.hasOwn(before, key)) {
      patch.add(writeOperation('add', below(path, key), JSON.stringify(after[key])))
    }
  }
}

function compareParts(before: JsonValue | undefined, after: JsonValue | undefined, place: Place): void {
  if (after === undefined) place.patch.add(writeRemoval(place.path))
  else if (before !== undefined) compare(before, after, place)
}

function below(path: string, part: string | number): string {
  return `${path}/${typeof part === 'number' ? part : escapePointer(part)}`
}

function writeOperation(op: 'add' | 'replace', path: string, value: string): string {
  return `{"op":"${op}","path":${JSON.stringify(path)},"value":${value}}`
}

function writeRemoval(path: string): string {
  return `{"op":"remove","path":${JSON.stringify(path)}}`
}
