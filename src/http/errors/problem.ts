import { catalogue, type FieldError, type RostrumError, toMember } from '../../errors.ts'

/** Problem details (RFC 9457) with the members of contract, section 2. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly reason?: string
  readonly errors?: readonly FieldError[]
  readonly [fact: string]: unknown
}

/** Returns the problem document of a failure. Its facts become members with names in snake case. */
export function toProblem({ code, reason, message, fields, facts }: RostrumError, status?: number): Problem {
  const entry = catalogue[code]
  return {
    type: `urn:rostrum:problem:${code.toLowerCase().replaceAll('_', '-')}`,
    title: entry.title,
    status: status ?? entry.status,
    detail: message,
    code,
    ...(reason === null ? {} : { reason }),
    ...(fields.length === 0 ? {} : { errors: fields }),
    ...Object.fromEntries(Object.entries(facts).map(([name, value]) => [toMember(name), value])),
  }
}
