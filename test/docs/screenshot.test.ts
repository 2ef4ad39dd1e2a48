import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readPage } from './pages.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

test('the first screen of the README shows the playground, in pictures of less than 200 KB', () => {
  const [start = ''] = readPage('README.md').text.split('\n## ', 1)
  const pictures = [...start.matchAll(/src(?:set)?="([^"]+)"/g)].map(([, path = '']) => root + path)
  expect(pictures.length).toBe(2)
  expect(pictures.filter(path => !existsSync(path))).toEqual([])
  const bytes = pictures.reduce((sum, path) => sum + statSync(path).size, 0)
  expect(bytes).toBeLessThan(200_000)
  expect(start).toMatch(/alt="[^"]{20,}"/)
})
