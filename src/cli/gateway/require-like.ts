import { notRostrum } from './gateway-client.ts'

/**
 * Returns a value that every gateway answers with. Throws the error for another server if it lacks a part of the
 * sample, or has one of another type. All entries of an array must be like the sample's only entry, if it has one.
 */
export function requireLike<T>(url: string, value: T | null | undefined, sample: unknown): T {
  if (value === undefined || value === null || !isLike(value, sample)) throw notRostrum(url)
  return value
}

function isLike(value: unknown, sample: unknown): boolean {
  if (Array.isArray(sample))
    return Array.isArray(value) && value.every(entry => sample.every(part => isLike(entry, part)))
  if (typeof sample !== 'object' || sample === null) return typeof value === typeof sample
  if (typeof value !== 'object' || value === null) return false
  const parts = value as Readonly<Record<string, unknown>>
  return Object.entries(sample).every(([name, part]) => isLike(parts[name], part))
}
