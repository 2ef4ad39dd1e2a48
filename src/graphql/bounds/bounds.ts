/** The bounds of a GraphQL document, checked before validation and before any resolver runs (contract, section 3). */
export const bounds = {
  /** Maximum number of tokens in the text, as graphql-js counts them. */
  tokens: 5_000,
  /**
   * Maximum number of lines in the text. The token limit does not cover comments, and locating an error counts lines.
   */
  lines: 20_000,
  /** Maximum levels of nested fields. */
  depth: 15,
  /**
   * Maximum levels of nested fields from `__schema` or `__type` downwards. The introspection query of graphql-js has
   * 15.
   */
  introspectionDepth: 32,
  /**
   * Maximum levels of types within the members of another type, as in `fields { type { fields`. Each level multiplies
   * the size of the answer. Common tools ask for none.
   */
  introspectionNesting: 1,
  /** Maximum number of aliases in the whole document, as written. */
  aliases: 100,
  /**
   * Maximum number of characters in each alias. An answer repeats the alias for each item of a list, and so does the
   * path of each error below it.
   */
  aliasCharacters: 100,
  directives: 200,
  fragments: 200,
  /** Maximum number of root fields in one operation, as written, including the fields of its fragments. */
  rootFields: 50,
  variables: 100,
  /**
   * Maximum number of items and fields in all variables, at any depth. Coercion visits each value, and an error repeats
   * it. Moving 1,000 memberships, each with a version, takes 6,002 values.
   */
  values: 8_000,
  /** Maximum number of items in each list argument. */
  listItems: 1_000,
  /** Maximum cost of an operation with its variables, in points, without introspection; see `FieldCost`. */
  cost: 200_000,
  /**
   * Maximum cost of a subscription for each event, in points. A bulk change sends 1,000 events to up to 100 streams.
   */
  eventCost: 200,
  /**
   * Maximum number of answered fields below `__schema` and `__type`. Tools ask for 7,000; the maximum takes about 40
   * ms.
   */
  introspectionFields: 20_000,
  /** Maximum bytes of JSON below `__schema` and `__type`. Common tools ask for 150,000. */
  introspectionBytes: 2 ** 20,
} as const

export type Bound = keyof typeof bounds
