import fc from 'fast-check'
import { wildJson } from './wild-json.ts'

interface Mutation {
  readonly at: number
  readonly kind: 'replace' | 'remove' | 'add' | 'rename' | 'wrap'
  readonly value: unknown
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(20),
  kind: fc.constantFrom('replace', 'replace', 'remove', 'add', 'rename', 'wrap'),
  value: wildJson,
})

type Container = Record<string, unknown> | unknown[]

/** Values near those of `base`: each as it is, or changed in one or two places. */
export function near(base: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 2, arbitrary: base },
    {
      weight: 3,
      arbitrary: fc
        .tuple(base, fc.array(mutation, { minLength: 1, maxLength: 2 }))
        .map(([value, mutations]) => mutations.reduce(mutate, structuredClone(value))),
    },
  )
}

function mutate(root: unknown, { at, kind, value }: Mutation): unknown {
  const holder = { root }
  const places = findPlaces(holder)
  const place = places[at % places.length]
  if (place === undefined) return root
  const { container, key } = place
  const slots = container as Record<string, unknown>
  if (kind === 'replace') slots[key] = structuredClone(value)
  if (kind === 'wrap') slots[key] = [slots[key]]
  if (kind === 'add') slots[`${key}_`] = structuredClone(value)
  if (kind === 'remove') delete slots[key]
  if (kind === 'rename') {
    slots[key.toUpperCase()] = slots[key]
    delete slots[key]
  }
  return holder.root
}

function findPlaces(holder: Container): { container: Container; key: string }[] {
  return Object.entries(holder).flatMap(([key, value]) => [
    { container: holder, key },
    ...(typeof value === 'object' && value !== null ? findPlaces(value as Container) : []),
  ])
}
