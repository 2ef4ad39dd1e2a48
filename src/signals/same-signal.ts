/**
 * Signals within this time, in milliseconds, count as one. A terminal or `kill -- -<group>` also signals npm, which
 * sends the signal on, so it can arrive twice within milliseconds.
 */
export const sameSignalMs = 500
