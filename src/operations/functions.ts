import { mutation, query, record } from './operation.ts'

/** The record of a function, without the members that come from its versions. */
export const functionShape = record('function', {
  id: 'id',
  name: 'value',
  case_type_code: 'value',
  created_at: 'time',
})

const withLive = (live: string, more = '') => ({
  ...functionShape,
  selection: `${functionShape.selection} live { ${live} } ${more}`.trimEnd(),
})

/** Functions by their names (contract, section 9). */
export const functions = {
  /** Reads a function with its live source. */
  get: query({
    field: 'function',
    variables: { name: 'String!', caseTypeCode: 'String', exact: 'Boolean!' },
    answer: withLive('hash sourceCode'),
  }),
  /** Saves a version. */
  save: mutation({
    field: 'saveFunction',
    variables: { input: 'SaveFunctionInput!' },
    answer: withLive('hash', 'saved { version created }'),
  }),
  delete: mutation({
    field: 'removeFunction',
    variables: { name: 'String!', caseTypeCode: 'String', ifLive: '[ID!]' },
    answer: functionShape,
  }),
}
