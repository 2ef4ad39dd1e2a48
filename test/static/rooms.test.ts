import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { root, sourceFiles } from './rules/source-files.ts'

const maxFilesOfFolder = 12
const minLinesOfSharedFile = 20

const modulesOf = (top: string): readonly string[] =>
  readdirSync(`${root}${top}`, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.ts'))

function importedBy(file: string): string[] {
  const text = readFileSync(`${root}${file}`, 'utf8')
  return [...text.matchAll(/['"](\.{1,2}\/[^'"]+\.ts)['"]/g)].map(([, path = '']) =>
    normalize(join(dirname(file), path)),
  )
}

test.each(['src', 'test'])('no folder of %s holds more than a dozen files', top => {
  const counts = Map.groupBy(modulesOf(top), path => dirname(path))
  const large = [...counts].filter(([, files]) => files.length > maxFilesOfFolder)
  expect(large.map(([folder, files]) => `${folder}: ${files.length}`)).toEqual([])
  expect(counts.size).toBeGreaterThan(20)
})

test('a file under 20 lines serves more than one other file of src', () => {
  const users = new Map<string, number>()
  for (const file of modulesOf('src')) {
    for (const imported of new Set(importedBy(`src/${file}`)))
      users.set(imported, (users.get(imported) ?? 0) + 1)
  }
  const small = sourceFiles.filter(({ path }) => {
    const lines = readFileSync(`${root}src/${path}`, 'utf8').split('\n').length - 1
    return path.endsWith('.ts') && lines < minLinesOfSharedFile && (users.get(`src/${path}`) ?? 0) < 2
  })
  expect(small.map(({ path }) => path)).toEqual([])
})
