/** The bounds of a GraphQL document, checked before validation and before any resolver runs (contract, section 3). */
export const bounds = {
  /** In the text, as graphql-js counts them. */
  tokens: 5_000,
  /** In the text. Comments have no tokens, and the position of an error is found by counting lines. */
  lines: 20_000,
  /** Levels of nested fields. graphql-js has its own bound below `__schema` and `__type`. */
  depth: 15,
  /** In the whole document, as written. */
  aliases: 100,
  /** In each alias. An answer repeats it for each item of a list, and each error below it repeats it in its path. */
  aliasCharacters: 100,
  directives: 200,
  fragments: 200,
  /** In one operation, as written, with the fields of its fragments. */
  rootFields: 50,
  variables: 100,
  /**
   * Items and fields in all variables, at any depth, because coercion visits each and an error repeats its value.
   * Moving 1,000 memberships, each with a version, takes 6,002.
   */
  values: 8_000,
  /** In each list argument. */
  listItems: 1_000,
  /** Points of the operation with its variables; see `FieldCost`. */
  cost: 200_000,
  /** Points of a subscription for each event. A bulk change is 1,000 events for each of up to 100 streams. */
  eventCost: 200,
  /** Bytes of JSON below `__schema` and `__type`. Tools ask for 60,000; making a million takes 25 ms. */
  introspectionBytes: 2 ** 20,
} as const

export type Bound = keyof typeof bounds
