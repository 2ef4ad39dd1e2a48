import { RostrumError } from '../../errors.ts'
import { type ClaimRefusals, keyRefusals } from '../idempotency/key-refusals.ts'

/** The errors of a message of a webhook. The texts about other requests cannot occur: a message is its id alone. */
export const messageRefusals: ClaimRefusals = {
  ...keyRefusals,
  lost: () =>
    new RostrumError(
      'CONFLICT',
      'This message took so long that another gateway took it over. Send it again.',
      { reason: 'RUNNING', retryAfterSeconds: 1 },
    ),
  unkept: cause =>
    new RostrumError(
      'UNAVAILABLE',
      'The message was run, but that could not be kept: it runs again if you send it again.',
      { retryAfterSeconds: 1, cause },
    ),
  full: maxBytes =>
    new RostrumError(
      'OVERLOADED',
      `The messages and idempotency keys of the last 24 hours hold ${maxBytes} bytes in this account, the maximum, ` +
        'so a new message cannot be kept. Nothing was run. Try again in 60 s.',
      { retryAfterSeconds: 60 },
    ),
  stillRunning: () =>
    new RostrumError('CONFLICT', 'This message is still running. Try again in 1 s.', {
      reason: 'RUNNING',
      retryAfterSeconds: 1,
    }),
}
