/** A figure that the project holds itself to, and what was measured. Nothing fails by it: the table says so. */
export interface Claim {
  readonly what: string
  /** Null where the machine does not tell it. */
  readonly measured: number | null
  readonly bound: number
  readonly holds: 'at most' | 'at least'
  readonly unit?: string
}

export function isMet({ measured, bound, holds }: Claim): boolean | null {
  if (measured === null) return null
  return holds === 'at most' ? measured <= bound : measured >= bound
}
