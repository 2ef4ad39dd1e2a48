import { globSync, readFileSync } from 'node:fs'
import { buildSchema, parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import { root } from '../static/rules/source-files.ts'

const schema = buildSchema(readFileSync(`${root}schema.graphql`, 'utf8'))

const documents = globSync('src/pages/**/*.ts', { cwd: root }).flatMap(path => {
  const text = readFileSync(`${root}${path}`, 'utf8')
  const declared = [...text.matchAll(/\boperation<[^`]*?>\(\s*`([^`]*)`/g)]
  expect(text.match(/(?<!function )\boperation</g)?.length ?? 0, path).toBe(declared.length)
  return declared.map(([, document = '']) => ({ path, document: insertParts(document, text) }))
})

// Documents of one file share texts of fields, which are constants of that file.
function insertParts(document: string, text: string): string {
  return document.replaceAll(/\$\{(\w+)\}/g, (_part, name: string) => {
    const part = new RegExp(`const ${name} = \`([^\`]*)\``).exec(text)?.[1]
    if (part === undefined) throw new Error(`\`${name}\` is no constant of the file.`)
    return insertParts(part, text)
  })
}

test('every document of the pages is valid against the schema', () => {
  expect(documents.length).toBeGreaterThan(5)
  const faults = documents.flatMap(({ path, document }) =>
    validate(schema, parse(document)).map(({ message }) => `${path}: ${message}`),
  )
  expect(faults).toEqual([])
})

test('every document has a name of its own, so that a log line tells them apart', () => {
  const names = documents.map(
    ({ document }) => /^\s*(?:query|mutation|subscription) (\w+)/.exec(document)?.[1],
  )
  expect(names).not.toContain(undefined)
  expect(new Set(names).size).toBe(names.length)
})
