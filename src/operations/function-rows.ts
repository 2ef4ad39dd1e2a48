import { operation, record } from './operation.ts'

const path = '/platform/functions/:name'

/** The record of a function, without the members that come from its versions. */
export const functionShape = record('function', {
  id: 'id',
  name: 'value',
  case_type_code: 'value',
  created_at: 'value',
})

const withLive = (live: string, more = '') => ({
  ...functionShape,
  selection: `${functionShape.selection} live { ${live} } ${more}`.trimEnd(),
})

/** Reads a function with its live source (contract, section 9). */
export const getFunction = operation(`GET ${path}`, {
  field: 'function',
  variables: { name: 'String!', caseTypeCode: 'String', exact: 'Boolean!' },
  answer: withLive('hash sourceCode'),
})

/** Saves a version of a function (contract, section 9). */
export const saveFunction = operation(`PUT ${path}`, {
  field: 'saveFunction',
  variables: { input: 'SaveFunctionInput!' },
  answer: withLive('hash', 'saved { version created }'),
})

/** Removes a function (contract, section 9). */
export const deleteFunction = operation(`DELETE ${path}`, {
  field: 'removeFunction',
  variables: { name: 'String!', caseTypeCode: 'String', ifLive: '[ID!]' },
  answer: functionShape,
})
