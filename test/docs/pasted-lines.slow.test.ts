import { readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server/gateways/start-server.ts'
import { makeTempFolder, type TempFolder } from '../server/processes/temp-folder.ts'
import { compareAnswer } from './compare-answer.ts'
import { notRun } from './not-run.ts'
import { type Page, pages, readPage, readSteps, readTable, root, type Step } from './pages.ts'
import { type Shell, startShell } from './shell.ts'

type Paste = Extract<Step, { kind: 'paste' }>

const pastes = (page: Page) => readSteps(page).filter(step => step.kind === 'paste')
const isRun = ({ text }: Paste) => !Object.keys(notRun).some(start => text.startsWith(start))
// A read of what happens in the background. A busy machine may take longer than the page sleeps.
const isWait = ({ text }: Paste) => /^sleep /.test(text)
const mostReads = 60
const isStream = ({ text }: Paste) => /^(curl -sN|node follow\.js)/.test(text)

const links = readTable(readPage('README.md'), 'Docs').flatMap(([, cell = '']) =>
  [...cell.matchAll(/\((docs\/[\w-]+\.md)\)/g)].map(([, path = '']) => path),
)
const inOrder = ['README.md', ...new Set(links)].map(readPage)
const ofDocs = inOrder.filter(page => page.path !== 'README.md' && pastes(page).some(isRun))

test('every reason not to run a line is about a line of a page', () => {
  const texts = pages.flatMap(pastes).map(({ text }) => text)
  expect(Object.keys(notRun).filter(start => !texts.some(text => text.startsWith(start)))).toEqual([])
})

test('the table of the README leads to every page with lines to paste', () => {
  expect(pages.filter(page => pastes(page).some(isRun) && !inOrder.includes(page))).toEqual([])
})

describe.each(ofDocs)('$path', page => {
  test('begins with an account of its own', () => {
    const [, name] = /^docs\/(.*)\.md$/.exec(page.path) ?? []
    const first = pastes(page).find(isRun)?.text
    expect(first).toMatch(new RegExp(`^export TOKEN=\\$\\(npm run --silent token -- --account ${name} `))
  })

  test('says how to make each file that its lines name', () => {
    const made = new Set<string>()
    for (const step of readSteps(page)) {
      if (step.kind === 'save') made.add(step.name)
      else {
        for (const [, name = ''] of step.text.matchAll(/^cat > (\S+)/gm)) made.add(basename(name))
        const named = [...step.text.matchAll(/\b[\w-]+\.m?js\b/g)].map(([name]) => name)
        expect(named.filter(name => !made.has(name))).toEqual([])
      }
    }
  })
})

// A reader who follows page after page, with one gateway, one store and one folder.
describe('pasted in the order of the README', () => {
  let folder: TempFolder
  let server: TestServer
  beforeAll(async () => {
    folder = makeTempFolder()
    // `npm run` works here, and what a reader saves beside `package.json` does not end up in the repository.
    for (const name of readdirSync(root))
      if (name !== 'data') symlinkSync(join(root, name), join(folder.path, name))
    server = await startServer({ DATABASE_URL: `sqlite:${join(folder.path, 'data/rostrum.db')}` })
  })
  afterAll(async () => {
    await server?.stop()
    folder?.remove()
  })

  async function runOnce(shell: Shell, text: string, place: string): Promise<string> {
    const { status, stdout, stderr } = await shell.run(text)
    expect({ place, status, stderr: status === 0 ? '' : stderr }).toEqual({ place, status: 0, stderr: '' })
    return stdout.replaceAll(server.baseUrl, 'http://127.0.0.1:4000')
  }

  async function paste(shell: Shell, step: Paste, place: string): Promise<void> {
    const { answer } = step
    const text = step.text
      .replaceAll('http://127.0.0.1:4000', server.baseUrl)
      .replaceAll('rst_the_token_that_npm_start_printed', server.adminToken)
    if (answer === null) {
      await runOnce(shell, text, place)
      return
    }
    const isShown = (output: string) => {
      const { printed, shown } = compareAnswer(output, answer)
      return printed === shown
    }
    let output = await (isStream(step) ? shell.runUntil(text, isShown) : runOnce(shell, text, place))
    for (let reads = 1; isWait(step) && !isShown(output) && reads < mostReads; reads += 1)
      output = await runOnce(shell, text, place)
    const { printed, shown } = compareAnswer(output, answer)
    expect(printed, place).toEqual(shown)
  }

  test.each(inOrder.filter(page => pastes(page).some(isRun)))('$path prints its answers', async page => {
    const { PATH, HOME } = process.env
    const shell = startShell({ cwd: folder.path, env: { PATH, HOME } })
    try {
      for (const step of readSteps(page)) {
        if (step.kind === 'save') writeFileSync(join(folder.path, step.name), step.text)
        else if (isRun(step)) await paste(shell, step, `${page.path}:${step.line}`)
      }
    } finally {
      await shell.end()
    }
  })
})
