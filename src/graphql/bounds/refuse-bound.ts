import { RostrumError } from '../../errors.ts'
import { type Bound, bounds } from './bounds.ts'

const advice: Record<Bound, string> = {
  tokens: 'send less text, and values as variables',
  lines: 'send long texts as variables',
  depth: 'nest fewer fields',
  introspectionDepth: 'nest fewer fields',
  introspectionNesting: 'read types by their names',
  aliases: 'use fewer, or split the document',
  aliasCharacters: 'use a shorter one',
  fragments: 'use fewer',
  directives: 'use fewer',
  rootFields: 'split the operation',
  variables: 'declare fewer',
  values: 'send less in one operation',
  listItems: 'ask in several calls',
  cost: 'ask for fewer items, smaller pages or fewer fields',
  eventCost: 'ask for fewer fields',
  introspectionFields: 'ask for each part of the schema once',
  introspectionBytes: 'ask for each part of the schema once',
}

const names: Record<Bound, string> = {
  tokens: 'tokens',
  lines: 'lines',
  depth: 'levels of depth',
  introspectionDepth: 'levels of introspection',
  introspectionNesting: 'level of nested types in introspection',
  aliases: 'aliases',
  aliasCharacters: 'characters in one alias',
  fragments: 'fragments',
  directives: 'directives',
  rootFields: 'root fields in one operation',
  variables: 'variables in one operation',
  values: 'values in its variables',
  listItems: 'items in one list',
  cost: 'points of cost',
  eventCost: 'points of cost for each event',
  introspectionFields: 'fields of introspection in its answer',
  introspectionBytes: 'bytes of introspection in its answer',
}

/**
 * Throws `BAD_USER_INPUT`, naming the bound, if `found` is past it. `Infinity` means that counting stopped at the
 * bound.
 */
export function refuseBeyond(bound: Bound, found: number): void {
  if (found > bounds[bound]) throw beyondBound(bound, Number.isFinite(found) ? found : undefined)
}

/** Returns the error for a request past a bound. Leave `found` out if counting stopped at the bound. */
export function beyondBound(bound: Bound, found?: number): RostrumError {
  const has = found === undefined ? '' : `; this one has ${found}`
  const message = `A request can have at most ${bounds[bound]} ${names[bound]}${has}: ${advice[bound]}.`
  return new RostrumError('BAD_USER_INPUT', message, { facts: { bound, most: bounds[bound] } })
}

/**
 * Returns the error for a document that selects the same fields too often. It reports no number, because several count.
 */
export function tooRepetitive(): RostrumError {
  const message = 'The document selects the same fields too often. Select each field once.'
  return new RostrumError('BAD_USER_INPUT', message, { facts: { bound: 'repetition' } })
}
