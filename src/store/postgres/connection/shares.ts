/**
 * Whose turn it is where no single account asks: each has calls and connections of its own beside the accounts. No account code has a
 * parenthesis.
 */
export const shares = {
  /** Statements that answer several accounts at once, with a few rows for each. */
  shared: '(shared)',
  /** Look-ups of tokens that this gateway has not found before: anyone can make one up. */
  unknownTokens: '(unknown tokens)',
  /** What the gateway does by itself, and for `/ready`. */
  gateway: '(gateway)',
} as const
