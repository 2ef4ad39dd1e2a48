import { RostrumError } from '../../errors.ts'

/** What is stored of an answer whose body was too large to store. */
interface AnswerNotKept {
  readonly status: number
  readonly location: string | undefined
}

/** Messages that name the claimed thing: an idempotency key, or the message of a webhook. */
interface ClaimMessages {
  readonly lost: string
  readonly unkept: string
  readonly stillRunning: string
  full(maxBytes: number): string
}

/** Returns the errors for refused claims. Each says what became of the request. */
export type ClaimRefusals = ReturnType<typeof createClaimRefusals>

export function createClaimRefusals({ lost, unkept, stillRunning, full }: ClaimMessages) {
  return {
    other: () =>
      new RostrumError(
        'CONFLICT',
        'This `Idempotency-Key` was used for another request within the last 24 hours. Send a key of its ' +
          'own with each request.',
        { reason: 'KEY_REUSED' },
      ),
    'cut off': () =>
      new RostrumError(
        'CONFLICT',
        'The first attempt with this `Idempotency-Key` was cut off in its run, so its effects are unknown. ' +
          'Check them before you try again with a new key.',
        { reason: 'UNKNOWN_OUTCOME' },
      ),
    lost: () => new RostrumError('CONFLICT', lost, { reason: 'RUNNING', retryAfterSeconds: 1 }),
    unkept: (cause: RostrumError) => new RostrumError('UNAVAILABLE', unkept, { retryAfterSeconds: 1, cause }),
    full: (maxBytes: number) => new RostrumError('OVERLOADED', full(maxBytes), { retryAfterSeconds: 60 }),
    stillRunning: () =>
      new RostrumError('CONFLICT', stillRunning, { reason: 'RUNNING', retryAfterSeconds: 1 }),
  }
}

/** The errors for requests with an `Idempotency-Key`. */
export const keyRefusals = createClaimRefusals({
  lost:
    'This request took so long that another took its `Idempotency-Key` over. Try again with the same ' +
    'key to read the answer.',
  unkept:
    'The answer could not be stored under the `Idempotency-Key`: a change may have been made or not. Try ' +
    'again with the same key.',
  stillRunning: 'Another request with this `Idempotency-Key` is still running. Try again in 1 s.',
  full: maxBytes =>
    `The keys of the last 24 hours hold ${maxBytes} bytes in this account, the maximum, so a new ` +
    '`Idempotency-Key` cannot be kept. Nothing was done. Try again in 60 s, or without a key.',
})

/** Returns the error for a repeated request whose answer was stored without its body. */
export function answerNotKept({ status, location }: AnswerNotKept): RostrumError {
  return new RostrumError(
    'CONFLICT',
    `This request was done under this \`Idempotency-Key\` and answered with status ${status}. The ` +
      'answer was too large to keep, so it cannot be repeated. Read what the request made, and do not ' +
      'send it again under another key.',
    {
      reason: 'UNKNOWN_OUTCOME',
      facts: { originalStatus: status, ...(location === undefined ? {} : { location }) },
    },
  )
}
