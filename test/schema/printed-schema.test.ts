import { readFile } from 'node:fs/promises'
import { type GraphQLNamedType, isEnumType, isInputObjectType, isObjectType } from 'graphql'
import { expect, test } from 'vitest'
import { printSortedSchema, schema } from '../../src/schema/index.ts'

test('schema.graphql is the printed schema (`npm run schema` updates it)', async () => {
  const file = await readFile(new URL('../../schema.graphql', import.meta.url), 'utf8')
  expect(printSortedSchema()).toBe(file)
})

test('every type, field and argument has a description', () => {
  const own = Object.values(schema.getTypeMap()).filter(
    ({ name }) => !name.startsWith('__') && !['Boolean', 'Float', 'ID', 'Int', 'String'].includes(name),
  )
  expect(own.length).toBeGreaterThan(20)
  expect(own.flatMap(findBare)).toEqual([])
})

function findBare(type: GraphQLNamedType): string[] {
  const bare = type.description ? [] : [type.name]
  if (!isObjectType(type) && !isInputObjectType(type)) return bare
  for (const field of Object.values(type.getFields())) {
    if (!field.description) bare.push(`${type.name}.${field.name}`)
    if (!('args' in field)) continue
    for (const argument of field.args) {
      if (!argument.description) bare.push(`${type.name}.${field.name}(${argument.name})`)
    }
  }
  return bare
}

test('the error codes of a task are those of the contract', () => {
  const type = schema.getType('TaskErrorCode')
  expect(isEnumType(type) && type.getValues().map(({ name }) => name)).toEqual(
    ['SYNTAX', 'RUNTIME', 'NO_OUTCOME', 'TIMEOUT', 'MEMORY', 'RESULT', 'LIMIT', 'CRASHED'].sort(),
  )
})
