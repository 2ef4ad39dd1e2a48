import { randomBytes } from 'node:crypto'

const poolBytes = 4_096

let digits = ''
let used = 0

/** Returns a new id of a trace: 32 hexadecimal digits. */
export function createTraceId(): string {
  return createId(32)
}

/** Returns a new id of a span: 16 hexadecimal digits. */
export function createSpanId(): string {
  return createId(16)
}

// Takes the digits from a pool, because to ask for random bytes costs as much for many as for a few.
function createId(length: number): string {
  if (used + length > digits.length) {
    digits = randomBytes(poolBytes).toString('hex')
    used = 0
  }
  const id = digits.slice(used, used + length)
  used += length
  // An id of zeros alone is not valid.
  return /[^0]/.test(id) ? id : createId(length)
}
