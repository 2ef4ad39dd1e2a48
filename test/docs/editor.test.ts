import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeTempFolder } from '../server/processes/temp-folder.ts'
import { readPage, readSteps, root } from './pages.ts'

const folder = makeTempFolder()
afterAll(() => folder.remove())

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder.path, path)), { recursive: true })
  writeFileSync(join(folder.path, path), text)
}

function check(): string {
  const compiler = `${root}node_modules/typescript/bin/tsc`
  try {
    execFileSync(process.execPath, [compiler, '-p', 'jsconfig.json'], { cwd: folder.path })
    return ''
  } catch (error) {
    return String((error as { readonly stdout: Buffer }).stdout)
  }
}

test('with the files of the page, an editor checks each script by itself', () => {
  const step = readSteps(readPage('docs/cli.md')).find(({ text }) => text.includes('> jsconfig.json'))
  const types = execFileSync(process.execPath, [`${root}src/start.mjs`, 'cli', 'types'])
  write('rostrum.d.ts', String(types))
  write('jsconfig.json', /<<'END'\n([\s\S]*?)\nEND/.exec(step?.text ?? '')?.[1] ?? '')
  // Packages of a repository around it declare a `console` too.
  write('node_modules/@types/node/index.d.ts', 'declare var console: { log(): void }')
  write(
    'functions/incident/first.js',
    'const team = await Platform.teams.get(3)\nlog(team)\nexit({ team })\n',
  )
  write('functions/incident/second.js', 'function team() {}\nconsole.log(payload.a)\nexit(team())\n')
  // What scripts are full of needs no types.
  write(
    'functions/incident/third.js',
    `function add(a, b) { return a + b }
const byId = {}
for (const item of payload.items) byId[item.id] = item
try { log(payload.items.map(item => item.n).reduce(add, 0)) } catch (error) { fail(error.message) }
exit(byId)
`,
  )
  expect(check()).toBe('')
  write('functions/_/wrong.js', 'exit(1, 2)\n')
  expect(check()).toMatch(/^functions\/_\/wrong\.js\(1,9\): error TS2554/)
})
