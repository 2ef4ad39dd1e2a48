import type { Origin } from '../../../src/domain/port.ts'

/** Changes made by nobody in particular, as part of nothing in particular. */
export function by(accountCode: string): Origin {
  return {
    accountCode,
    userId: 1,
    email: 'ann@example.com',
    transactionId: 'b3f3c1de-0000-4000-8000-000000000001',
    step: null,
  }
}
