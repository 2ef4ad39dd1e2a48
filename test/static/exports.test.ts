import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './rules/source-files.ts'

interface Module {
  readonly path: string
  readonly text: string
}

const modules: readonly Module[] = globSync('{src,test}/**/*.{ts,js,mjs}', { cwd: root })
  .map(path => path.replaceAll('\\', '/'))
  .map(path => ({ path, text: readFileSync(root + path, 'utf8') }))

test('each exported function and value of `src` is imported somewhere', () => {
  const imported = new Set(modules.flatMap(listImports))
  const unused = modules
    .filter(({ path }) => path.startsWith('src/'))
    .flatMap(({ path, text }) => listExports(text).map(name => ({ path, name })))
    .filter(({ path, name }) => !imported.has(path) && !imported.has(`${path} ${name}`))
  expect(unused).toEqual([])
})

test('the reading finds exports, names that are imported, and modules that are imported as a whole', () => {
  expect(listExports('export const a = 1\nexport async function* b() {}\nconst c = 2')).toEqual(['a', 'b'])
  const text = "import { type A, b as c } from './x.ts'\nimport * as d from '../y.ts'\nawait import('./z.ts')"
  expect(listImports({ path: 'src/e/f.ts', text })).toEqual([
    'src/e/x.ts A',
    'src/e/x.ts b',
    'src/y.ts',
    'src/e/z.ts',
  ])
})

function listExports(text: string): readonly string[] {
  const declarations = text.matchAll(/^export (?:async )?(?:const|let|class|function\*?) (\w+)/gm)
  return [...declarations].map(([, name = '']) => name)
}

// Returns `<path> <name>` for each imported name, and `<path>` for a module that is imported as a whole.
function listImports({ path, text }: Module): readonly string[] {
  const resolve = (to: string) => posix.join(posix.dirname(path), to)
  const clauses = text.matchAll(/^(?:import|export) (?:type )?(\{[^}]*\}|\* as \w+) from '(\.[^']+)'/gm)
  const dynamic = text.matchAll(/\bimport\(\s*'(\.[^']+)'/g)
  const named = [...clauses].flatMap(([, clause = '', to = '']) => {
    if (!clause.startsWith('{')) return resolve(to)
    const names = [...clause.matchAll(/(?:type )?(\w+)(?: as \w+)?/g)]
    return names.map(([, name]) => `${resolve(to)} ${name}`)
  })
  return [...named, ...[...dynamic].map(([, to = '']) => resolve(to))]
}
