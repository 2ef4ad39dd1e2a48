/** The most bytes of a body that `ROSTRUM_BODY_BYTES` and `ROSTRUM_WEBHOOK_BYTES` can allow. */
export const largestBodyBytes = 256 * 2 ** 20
