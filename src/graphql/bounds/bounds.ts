/** What a GraphQL document may be, checked before validation and before any resolver (contract, section 3). */
export const bounds = {
  /** Of the document's text, as graphql-js counts them. */
  tokens: 5_000,
  /** Of the text as well: comments are no tokens, and the place of each error is found by counting lines. */
  lines: 20_000,
  /** Fields inside fields; what lies below `__schema` and `__type` has graphql-js's own bound. */
  depth: 15,
  /** In the whole document, as written. */
  aliases: 100,
  /** Of each alias: an answer repeats it for every item of a list, and every error below it in its path. */
  aliasCharacters: 100,
  directives: 200,
  fragments: 200,
  /** Of one operation, fragments followed, counted as written. */
  rootFields: 50,
  variables: 100,
  /**
   * Items and fields of all variables, at any depth: an error repeats the value it is about, and is looked for in all. A thousand
   * memberships to move, each of a version, are 6,002.
   */
  values: 8_000,
  /** Of any argument that takes a list. */
  listItems: 1_000,
  /** Of the operation asked for, with the variables given; `FieldCost` says what a field costs. */
  cost: 200_000,
  /** Of a subscription, for each event: a bulk is a thousand of them, for each of a hundred streams. */
  eventCost: 200,
  /** Of JSON, as `__schema` and `__type` would answer: tools ask for 60,000, and a million take 25 ms to make. */
  introspectionBytes: 2 ** 20,
} as const

export type Bound = keyof typeof bounds
