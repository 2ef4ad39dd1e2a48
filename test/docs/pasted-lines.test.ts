import { readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { shareServer } from '../server/share-server.ts'
import { startServer } from '../server/start-server.ts'
import { makeTempFolder } from '../server/temp-folder.ts'
import { compareAnswer } from './compare-answer.ts'
import { notRun } from './not-run.ts'
import { type Page, pages, readSteps, root, type Step } from './pages.ts'
import { startShell } from './shell.ts'

type Paste = Extract<Step, { kind: 'paste' }>

const pastes = (page: Page) => readSteps(page).filter(step => step.kind === 'paste')
const isRun = ({ text }: Paste) => !Object.keys(notRun).some(start => text.startsWith(start))
const isStream = ({ text }: Paste) => /^(curl -sN|node follow\.js)/.test(text)

test('every reason not to run a line is about a line of a page', () => {
  const texts = pages.flatMap(pastes).map(({ text }) => text)
  expect(Object.keys(notRun).filter(start => !texts.some(text => text.startsWith(start)))).toEqual([])
})

// `npm run` needs the store of a gateway, beside which it runs. The other pages see their own account alone.
const startFor = async (page: Page) => {
  if (pastes(page).some(({ text }) => /\bnpm\b/.test(text)))
    return { ...(await startServer()), account: 'demo' }
  return { ...(await shareServer()), stop: async () => null }
}

// Each page for a reader who begins with it: a new gateway or a new account of one, a new folder, one shell.
describe.each(pages.filter(page => pastes(page).some(isRun)))('$path', page => {
  test('each line that it shows gives the answer printed under it', async () => {
    const server = await startFor(page)
    const folder = makeTempFolder()
    // `npm run` works here, and what a reader saves beside `package.json` does not end up in the repository.
    for (const name of readdirSync(root)) symlinkSync(join(root, name), join(folder.path, name))
    const { DATABASE_URL } = server.settings
    const shell = startShell({
      cwd: folder.path,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL, TOKEN: server.adminToken },
    })
    const fillIn = (text: string) =>
      text
        .replaceAll('http://127.0.0.1:4000', server.baseUrl)
        .replaceAll('rst_the_token_that_npm_start_printed', server.adminToken)
        .replaceAll('/webhook/demo/', `/webhook/${server.account}/`)
    const asWritten = (text: string) =>
      text.replaceAll(server.baseUrl, 'http://127.0.0.1:4000').replaceAll(server.account, 'demo')

    async function paste(step: Paste): Promise<void> {
      const place = `${page.path}:${step.line}`
      const { text, answer } = step
      if (isStream(step)) {
        if (answer === null) throw new Error(`${place}: a stream has no answer under it.`)
        const matches = (output: string) => {
          const { printed, shown } = compareAnswer(output, answer)
          return printed === shown
        }
        const output = await shell.runUntil(fillIn(text), matches)
        expect(compareAnswer(output, answer).printed, place).toEqual(compareAnswer('', answer).shown)
        return
      }
      const { status, stdout, stderr } = await shell.run(fillIn(text))
      expect({ place, status, stderr: status === 0 ? '' : stderr }).toEqual({ place, status: 0, stderr: '' })
      if (answer === null) return
      const { printed, shown } = compareAnswer(asWritten(stdout), answer)
      expect(printed, place).toEqual(shown)
    }

    try {
      for (const step of readSteps(page)) {
        if (step.kind === 'save') writeFileSync(join(folder.path, step.name), step.text)
        else if (isRun(step)) await paste(step)
      }
    } finally {
      await shell.end()
      await server.stop()
      folder.remove()
    }
  })
})
