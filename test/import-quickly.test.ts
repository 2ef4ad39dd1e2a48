import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const url = (path: string) => JSON.stringify(new URL(`../${path}`, import.meta.url).href)

// Hooks run in reverse order: this one sees what was left to Node.
const script = `
  import { registerHooks } from 'node:module'
  const left = []
  registerHooks({
    resolve(specifier, context, next) {
      if (/drizzle-orm/.test(specifier + context.parentURL)) left.push(specifier)
      return next(specifier, context)
    },
  })
  const { openStore } = await import(${url('src/store/open-store.ts')})
  const store = await openStore({ url: 'sqlite::memory:' })
  const whileOpening = left.splice(0)
  await import(${url('node_modules/drizzle-orm/gel-core/index.js')})
  console.log(JSON.stringify({ whileOpening, after: left.length }))
  await store.close()
`

test("a store opens without a look at each file of Drizzle's kind, and leaves no hook", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  const { whileOpening, after } = JSON.parse(stdout) as { whileOpening: string[]; after: number }
  expect(whileOpening).toContain('drizzle-orm/sqlite-core')
  expect(whileOpening.filter(specifier => specifier.startsWith('.'))).toEqual([])
  expect(after).toBeGreaterThan(10)
})

const serveScript = `
  import { registerHooks } from 'node:module'
  const left = []
  registerHooks({
    resolve(specifier, context, next) {
      if (context.conditions.includes('import')) left.push(specifier)
      else if (context.parentURL.includes('/node_modules/graphql/')) left.push(specifier)
      return next(specifier, context)
    },
  })
  const { importQuickly } = await import(${url('src/import-quickly.ts')})
  left.splice(0)
  await importQuickly(() => import(${url('src/commands/serve.ts')}))
  const hasUndici = process.moduleLoadList.some(name => name.includes('deps/undici'))
  console.log(JSON.stringify({ left, hasUndici }))
  process.exit()
`

test("a gateway's modules load without a look at each file, and without Node's own undici", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', serveScript])
  const { left, hasUndici } = JSON.parse(stdout) as { left: string[]; hasUndici: boolean }
  expect(left.filter(specifier => specifier.startsWith('.'))).toEqual([])
  expect(left.filter(specifier => specifier === 'graphql').length).toBeLessThan(60)
  expect(hasUndici).toBe(false)
})
