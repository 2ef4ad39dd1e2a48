import { RostrumError } from '../errors.ts'

/** Why a request with an `Idempotency-Key` gets no answer under it. */
export const keyRefusals = {
  other: () =>
    new RostrumError(
      'CONFLICT',
      'This `Idempotency-Key` was used for another request within the last 24 hours. Send a key of its own with each request.',
    ),
  'cut off': () =>
    new RostrumError(
      'CONFLICT',
      'The first attempt with this `Idempotency-Key` was cut off in its run, and what that has done is not known. Look before you try again with a new key.',
    ),
  lost: () =>
    new RostrumError(
      'CONFLICT',
      'This request took so long that another took its `Idempotency-Key` over. Try again with the same key to read the answer.',
      { retryAfterSeconds: 1 },
    ),
  unkept: (cause: RostrumError) =>
    new RostrumError(
      'UNAVAILABLE',
      'The answer could not be kept under the `Idempotency-Key`: a change may have been made or not. Try again with the same key.',
      { retryAfterSeconds: 1, cause },
    ),
  stillInWork: () =>
    new RostrumError(
      'CONFLICT',
      'A request with this `Idempotency-Key` is still in work. Try again in 1 s.',
      { retryAfterSeconds: 1 },
    ),
}
