import { readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useSignedIn } from '../spawn-rostrum.ts'

const { server, place } = useSignedIn()

const save = (name: string, caseTypeCode: string) =>
  server.graphql('mutation ($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }', {
    input: { name, caseTypeCode, sourceCode: `exit('${caseTypeCode}/${name}')` },
  })
// What a file system that ignores case answers about this name.
const ignoreCase = () => symlinkSync('functions', join(place.path, 'FUNCTIONS'))
const told = (a: string, b: string) => expect.stringContaining(`\`${a}\` and \`${b}\` differ by case alone`)

test.each([
  ['sum', 'a', 'a/Sum', 'a/sum'],
  ['other', 'A', 'a', 'A'],
])('where case is ignored, a/Sum and %s of %s are not pulled into one file', async (name, code, one, two) => {
  await save('Sum', 'a')
  await save(name, code)
  ignoreCase()
  expect(await place.runHere(['pull'])).toMatchObject({ code: 64, stdout: '', stderr: told(one, two) })
  expect(readdirSync(join(place.path, 'functions'))).toEqual([])
})

test('where case is ignored, a file is not pushed that may be that of another function', async () => {
  await save('Sum', 'a')
  await save('sum', 'a')
  expect((await place.runHere(['pull'])).code).toBe(0)
  ignoreCase()
  await place.write('functions/a/c.js', 'exit(1)')
  expect((await place.runHere(['push', '--yes'])).code).toBe(0)
  await place.write('functions/a/sum.js', 'exit(2)')
  expect(await place.runHere(['push', '--yes'])).toMatchObject({ code: 64, stderr: told('a/Sum', 'a/sum') })
})
