import { AccountBudget } from '../../limits/account-budget.ts'
import { BodyPlaces } from './body-places.ts'

/** The memory of requests and streams, counted to their accounts. */
export interface HttpBudgets {
  /** Bodies, from their announcement to the answer. */
  readonly bodies: AccountBudget
  readonly bodyPlaces: BodyPlaces
  /** Documents and variables of open streams. */
  readonly streams: AccountBudget
}

// A parsed body takes twice its bytes, so an account can have 32 of the largest in flight.
const maxLargestBodies = 64
const minBodyBytes = 16 * 2 ** 20
const maxStreamBytes = 16 * 2 ** 20

export function createHttpBudgets(bodyBytes: number): HttpBudgets {
  const ofBodies = Math.max(maxLargestBodies * bodyBytes, minBodyBytes)
  return {
    bodies: new AccountBudget(shared(ofBodies), {
      describe: held => `Bodies of ${held} bytes`,
      retryAfterSeconds: 1,
    }),
    bodyPlaces: new BodyPlaces(),
    streams: new AccountBudget(shared(maxStreamBytes), {
      describe: held => `Streams with documents and variables of ${held} bytes`,
      retryAfterSeconds: 5,
    }),
  }
}

// Two accounts can be at their maximum while a third one still has its share.
function shared(account: number) {
  return { account, total: 2 * account, share: account / 8 }
}
