/**
 * Owners of calls without an account: each has its own calls and connections beside the accounts. No account code has
 * a parenthesis.
 */
export const shares = {
  /** Statements that answer several accounts at once, with a few rows for each. */
  shared: '(shared)',
  /** Look-ups of tokens that this gateway has never found: anyone can make one up. */
  unknownTokens: '(unknown tokens)',
  /** Calls of the gateway itself, and for `/ready`. */
  gateway: '(gateway)',
} as const
