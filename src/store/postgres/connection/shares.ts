/** The owners of calls without an account. Each has its own calls and connections beside the accounts. */
export const shares = {
  /** Statements that answer several accounts at once, with a few rows for each. */
  shared: Symbol('shared'),
  /** Look-ups of tokens that this gateway has never found: anyone can make one up. */
  unknownTokens: Symbol('unknown tokens'),
  /** Calls of the gateway itself, and for `/ready`. */
  gateway: Symbol('gateway'),
}
