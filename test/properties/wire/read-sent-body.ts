import { sentHeader, type WireRequest } from './wire-request.ts'

/** What a body turned out to be, by the tests' own reading; `unsure` where more than one answer is right. */
export type SentBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'broken' }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'unsure' }

const largestBody = 2 * 2 ** 20

/** Reads a body as the contract says JSON bodies are read: UTF-8, one document, no key `__proto__`. */
export function readSentBody(request: WireRequest): SentBody {
  const { body } = request
  if (body === null || body.length === 0) return { kind: 'none' }
  if (body.length > largestBody) return { kind: 'unsure' }
  const type = sentHeader(request, 'content-type')
  if (type === undefined || !/^\s*application\/json\s*(;|$)/i.test(type)) return { kind: 'foreign' }
  // Parameters that name another charset, or are none, may be refused or passed over.
  if (!/^application\/json(; ?charset="?utf-8"?)?$/i.test(type)) return { kind: 'unsure' }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    const value: unknown = JSON.parse(text)
    return hasPrototypeKey(text) ? { kind: 'broken' } : { kind: 'json', value }
  } catch {
    return { kind: 'broken' }
  }
}

// Without recursion: some of these are a hundred thousand levels deep. Every string is taken whole, be it a key or not,
// so that none is begun in the middle of another.
function hasPrototypeKey(text: string): boolean {
  return [...text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?/g)].some(
    ([, string = '', colon]) => colon !== undefined && JSON.parse(string) === '__proto__',
  )
}

/** A member of an object, undefined where there is none. */
export function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
}

/** Whether each bad field that a refusal names is in what was sent, or missing from something that is. */
export function pointsInto(value: unknown, pointer: string): boolean {
  const parts = pointer.split('/').slice(1)
  let at = value
  for (const [index, part] of parts.entries()) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null) return false
    if (!Object.hasOwn(at, name)) return index === parts.length - 1
    at = (at as Record<string, unknown>)[name]
  }
  return true
}
