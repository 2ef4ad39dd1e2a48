import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { stay } from '../open-browser.ts'
import { openPlayground, textOf, write } from '../playground.ts'
import { startBrowsing } from '../start-browsing.ts'

const { server, browser } = await startBrowsing()

/** Leaves no room in the `localStorage` of the page, by entries whose keys begin so. */
const fill = (page: Page, prefix: string) =>
  page.evaluate(start => {
    const [own = ''] = Object.keys(localStorage)
    const draft = JSON.parse(localStorage.getItem(own) ?? '{}')
    for (let length = 4_000_000, count = 0; length >= 1; count++)
      try {
        localStorage.setItem(
          start + count,
          JSON.stringify({ ...draft, id: String(count), script: 'x'.repeat(length) }),
        )
      } catch {
        length = Math.floor(length / 2)
      }
  }, prefix)

/** Opens a playground with a stored script, and replaces it by one for which the browser has no room any more. */
async function openFull(prefix: string) {
  const opened = await openPlayground(browser, server)
  const { page } = opened
  await write(page, 'Script', 'exit("stored")')
  await page.getByText('Draft saved').waitFor()
  await fill(page, prefix)
  await write(page, 'Script', `exit("only here") // ${'x'.repeat(1_000)}`)
  await page.getByText('Draft not saved: this browser is full.').waitFor()
  return opened
}

/** Loads the page again. Returns the kinds of the questions that the browser asked before. */
async function reload(page: Page): Promise<string[]> {
  const kinds: string[] = []
  page.on('dialog', dialog => {
    kinds.push(dialog.type())
    return dialog.accept()
  })
  await page.reload()
  return kinds
}

test('what this browser has no room for is neither replaced nor left without a question', async () => {
  const { page, faults } = await openFull('other.')

  const alert = page.getByRole('alert').getByText('Nothing was opened')
  await page.getByRole('button', { name: 'Examples' }).click()
  await page.getByRole('menuitem').first().click()
  await alert.waitFor()
  await page.getByRole('button', { name: 'Drafts' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'exit("stored")' }).click()
  await alert.waitFor()
  expect(await textOf(page, 'Script')).toContain('only here')

  expect(await stay(page)).toBe('beforeunload')
  expect(await textOf(page, 'Script')).toContain('only here')
  expect(faults).toEqual([])
  await page.context().close()
})

test('who signs out and stays at the question is still signed in, and signed out after leaving', async () => {
  const { page, faults } = await openFull('other.')
  const session = () => page.evaluate(() => sessionStorage.getItem('rostrum.session'))
  const signOut = page.getByRole('button', { name: 'Sign out' })
  const asked = Promise.withResolvers<void>()
  page.once('dialog', async dialog => {
    await dialog.dismiss()
    asked.resolve()
  })
  await signOut.click()
  await asked.promise
  expect(await session()).not.toBeNull()
  page.once('dialog', dialog => dialog.accept())
  await signOut.click()
  await page.getByLabel('Token').waitFor()
  await expect.poll(session).toBeNull()
  await page.waitForURL('**/login')
  expect(faults).toEqual([])
  await page.context().close()
})

test('a link on a page of another origin signs nobody out', async () => {
  const { page, faults } = await openFull('other.')
  for (const fragment of ['#sign-out', '#sign-out=', '#sign-out=null', '#sign-out=undefined']) {
    page.once('dialog', dialog => dialog.accept())
    await page.goto(`/login${fragment}`)
    await page.getByLabel('Token').waitFor()
    expect(await page.evaluate(() => sessionStorage.getItem('rostrum.session'))).not.toBeNull()
    await page.goto('/health')
  }
  expect(faults).toEqual([])
  await page.context().close()
})

test('“Forget drafts” makes room for what is written and could not be stored', async () => {
  const { page, faults } = await openFull('rostrum.draft.')
  await page.getByRole('button', { name: 'Drafts' }).click()
  await page.getByRole('button', { name: 'Forget drafts' }).click()
  await page.getByText('Draft saved').waitFor()
  await page.reload()
  await expect.poll(() => textOf(page, 'Script')).toContain('only here')
  expect(faults).toEqual([])
  await page.context().close()
})

test('"Undo" says that the browser has no room for what was forgotten', async () => {
  const { page, faults } = await openPlayground(browser, server)
  await write(page, 'Script', 'exit("stored")')
  await page.getByText('Draft saved').waitFor()
  await page.getByRole('button', { name: 'Drafts' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Forget', exact: true }).click()
  await dialog.getByText('One draft forgotten').waitFor()
  await fill(page, 'other.')
  await dialog.getByRole('button', { name: 'Undo' }).click()
  await dialog.getByText('One draft not brought back: this browser is full').waitFor()
  await page.evaluate(() => {
    for (const key of Object.keys(localStorage)) if (key.startsWith('other.')) localStorage.removeItem(key)
  })
  await dialog.getByRole('button', { name: 'Undo' }).click()
  await dialog.getByRole('button', { name: 'exit("stored")' }).waitFor()
  expect(await dialog.getByText('not brought back').count()).toBe(0)
  expect(faults).toEqual([])
  await page.context().close()
})

test('a stored draft is left without a question, though there was no room for the example before it', async () => {
  const { page, faults } = await openPlayground(browser, server)
  await write(page, 'Script', 'exit("stored")')
  await page.getByText('Draft saved').waitFor()
  await fill(page, 'other.')
  await page.getByRole('button', { name: 'Examples' }).click()
  await page.getByRole('menuitem').first().click()
  await page.getByText('Draft not saved: this browser is full.').waitFor()
  await page.getByRole('button', { name: 'Drafts' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'exit("stored")' }).click()
  await page.getByText('Draft saved').waitFor()

  const questions = await reload(page)
  await expect.poll(() => textOf(page, 'Script')).toBe('exit("stored")')
  expect(questions).toEqual([])
  expect(faults).toEqual([])
  await page.context().close()
})

test('what had no room is stored once another tab has made some, and is left without a question', async () => {
  const { page, faults } = await openFull('other.')
  await page.evaluate(() => {
    for (const key of Object.keys(localStorage)) if (key.startsWith('other.')) localStorage.removeItem(key)
  })
  const questions = await reload(page)
  await expect.poll(() => textOf(page, 'Script')).toContain('only here')
  expect(questions).toEqual([])
  expect(faults).toEqual([])
  await page.context().close()
})

test('“Forget drafts” stores nothing of a long draft that was about to be stored', async () => {
  const { page, faults } = await openPlayground(browser, server)
  await write(page, 'Script', 'exit("stored")')
  await page.getByText('Draft saved').waitFor()
  const left = await page.evaluate(async () => {
    const press = (name: string) => {
      for (const button of document.querySelectorAll('button'))
        if (button.textContent.trim() === name) button.click()
    }
    document.querySelector<HTMLElement>('.cm-content')?.focus()
    document.execCommand('insertText', false, 'x'.repeat(200_001))
    await new Promise(requestAnimationFrame)
    press('Drafts')
    await new Promise(requestAnimationFrame)
    press('Forget drafts')
    return Object.keys(localStorage)
  })
  expect(left).toEqual([])
  expect(faults).toEqual([])
  await page.context().close()
})
