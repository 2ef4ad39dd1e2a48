import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fileError } from '../../src/cli/files/file-error.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'

const folder = makeTempFolder()
beforeAll(() => {
  writeFileSync(join(folder.path, 'a.js'), '')
  symlinkSync('loop.js', join(folder.path, 'loop.js'))
})
afterAll(folder.remove)

test.each([
  ['none.js', 'there is no such file'],
  ['.', 'it is a folder'],
  ['a.js/b.js', 'a part of its path is no folder'],
  ['loop.js', 'its links lead back to themselves'],
  ['x'.repeat(300), 'its name is too long'],
])('the error of reading `%s` says in words why', (path, reason) => {
  try {
    readFileSync(join(folder.path, path))
    expect.unreachable()
  } catch (error) {
    expect(fileError('read', path, error).message).toBe(`Cannot read \`${path}\`: ${reason}.`)
  }
})
