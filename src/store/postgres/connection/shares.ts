/** Owners of calls that belong to no account. Like an account, each has its own limits of calls and connections. */
export const shares = {
  /** Owner of statements that answer several accounts at once, with a few rows for each. */
  shared: Symbol('shared'),
  /** Owner of look-ups of tokens that this gateway has never found. Anyone can send made-up tokens. */
  unknownTokens: Symbol('unknown tokens'),
  /** Owner of calls of the gateway itself, and of `/ready`. */
  gateway: Symbol('gateway'),
}
