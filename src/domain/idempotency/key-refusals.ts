import { RostrumError } from '../../errors.ts'

/** What is kept of an answer without its body. */
interface AnswerNotKept {
  readonly status: number
  readonly location: string | undefined
}

/** Why a claim is refused, and what became of its request. */
export interface ClaimRefusals {
  readonly other: () => RostrumError
  readonly 'cut off': () => RostrumError
  readonly lost: () => RostrumError
  readonly unkept: (cause: RostrumError) => RostrumError
  readonly full: (maxBytes: number) => RostrumError
  readonly stillRunning: () => RostrumError
}

/** The errors of requests with an `Idempotency-Key`. */
export const keyRefusals = {
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
      'The first attempt with this `Idempotency-Key` was cut off in its run, and what that has done is ' +
        'not known. Look before you try again with a new key.',
      { reason: 'UNKNOWN_OUTCOME' },
    ),
  lost: () =>
    new RostrumError(
      'CONFLICT',
      'This request took so long that another took its `Idempotency-Key` over. Try again with the same ' +
        'key to read the answer.',
      { reason: 'RUNNING', retryAfterSeconds: 1 },
    ),
  unkept: (cause: RostrumError) =>
    new RostrumError(
      'UNAVAILABLE',
      'The answer could not be kept under the `Idempotency-Key`: a change may have been made or not. Try ' +
        'again with the same key.',
      { retryAfterSeconds: 1, cause },
    ),
  full: (maxBytes: number) =>
    new RostrumError(
      'OVERLOADED',
      `The keys of the last 24 hours hold ${maxBytes} bytes in this account, the maximum, so a new ` +
        '`Idempotency-Key` cannot be kept. Nothing was done. Try again in 60 s, or without a key.',
      { retryAfterSeconds: 60 },
    ),
  answerNotKept: ({ status, location }: AnswerNotKept) =>
    new RostrumError(
      'CONFLICT',
      `This request was done under this \`Idempotency-Key\` and answered with status ${status}. The ` +
        'answer was too large to keep, so it cannot be repeated. Read what the request made, and do not ' +
        'send it again under another key.',
      {
        reason: 'UNKNOWN_OUTCOME',
        facts: { originalStatus: status, ...(location === undefined ? {} : { location }) },
      },
    ),
  stillRunning: () =>
    new RostrumError(
      'CONFLICT',
      'Another request with this `Idempotency-Key` is still running. Try again in 1 s.',
      { reason: 'RUNNING', retryAfterSeconds: 1 },
    ),
} satisfies ClaimRefusals & Readonly<Record<string, unknown>>
