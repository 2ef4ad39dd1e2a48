/** The bounds of a GraphQL document, checked before validation and before any resolver runs (contract, section 3). */
export const bounds = {
  /** Tokens in the text, as graphql-js counts them. */
  tokens: 5_000,
  /** Lines in the text. Comments have no tokens, and the position of an error is found by counting lines. */
  lines: 20_000,
  /** Levels of nested fields. */
  depth: 15,
  /** Levels of nested fields from `__schema` or `__type` downwards; graphql-js asks for 15. */
  introspectionDepth: 32,
  /**
   * Levels of types within the members of another type, as in `fields { type { fields`. Each level multiplies the
   * answer. Tools ask for none.
   */
  introspectionNesting: 1,
  /** Aliases in the whole document, as written. */
  aliases: 100,
  /**
   * Characters in each alias. An answer repeats the alias for each item of a list, and so does the path of each error
   * below it.
   */
  aliasCharacters: 100,
  directives: 200,
  fragments: 200,
  /** Root fields in one operation, as written, with the fields of its fragments. */
  rootFields: 50,
  variables: 100,
  /**
   * Items and fields in all variables, at any depth, because coercion visits each and an error repeats its value.
   * Moving 1,000 memberships, each with a version, takes 6,002.
   */
  values: 8_000,
  /** Items in each list argument. */
  listItems: 1_000,
  /** Points of the operation with its variables, introspection not counted; see `FieldCost`. */
  cost: 200_000,
  /** Points of a subscription for each event. A bulk change is 1,000 events for each of up to 100 streams. */
  eventCost: 200,
  /** Fields in the answer below `__schema` and `__type`. Tools ask for 7,000; the maximum takes about 40 ms. */
  introspectionFields: 20_000,
  /** Bytes of JSON below `__schema` and `__type`. Tools ask for 150,000. */
  introspectionBytes: 2 ** 20,
} as const

export type Bound = keyof typeof bounds
