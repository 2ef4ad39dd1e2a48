import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { holdRequests, loseFirstAnswer } from '../hold-requests.ts'
import { expireToken, findBarriers, signIn, signInAgain, stay } from '../open-browser.ts'
import { CasesClient, dataOf } from './cases-client.ts'

let client: CasesClient

beforeAll(async () => {
  client = await CasesClient.start()
})
afterAll(() => client.stop())

async function openEdited(type: string, edited: string) {
  const id = await client.createCase(type, { total: 1, state: 'open' })
  const tab = await client.open(`/cases/${id}`)
  await dataOf(tab.page).fill(edited)
  return { id, tab, page: tab.page }
}

test('edits stay through every reload until they are discarded', async () => {
  const { tab, page } = await openEdited('reloaded', '{"total": 2}')
  for (let reload = 0; reload < 3; reload++) {
    await page.reload()
    await page.getByText('These are your unsaved edits.').waitFor()
    expect(await dataOf(page).inputValue()).toBe('{"total": 2}')
  }
  await page.getByRole('button', { name: 'Discard edits' }).click()
  await page.getByText('Your edits were discarded.').waitFor()
  await page.reload()
  await expect.poll(() => dataOf(page).inputValue()).toContain('"total": 1')
  await client.close(tab)
})

test('a save whose answer was lost is no change of somebody else, and neither is the same change', async () => {
  const { id, tab, page } = await openEdited('unanswered', '{"state":"open","total":2}')
  await loseFirstAnswer(page, 'mutation SaveCase')
  const save = page.getByRole('button', { name: /^Save/ })
  await save.click()
  await page.getByRole('alert').waitFor()
  await save.click()
  await page.getByText('Saved as version 2.').waitFor()
  await dataOf(page).fill('{"total":3}')
  await client.changeCase(id, { total: 3 })
  await save.click()
  await page.getByText('These data are stored already, as version 3.').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await client.close(tab)
})

test('edits are shown to the person alone who typed them', async () => {
  const { id, tab, page } = await openEdited('owned', '{"total": 2}')
  const signInAgain = async (token: string) => {
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/login')
    await signIn(page, token)
    await page.goto(`/cases/${id}`)
  }
  await signInAgain(await client.server.token({ account: client.server.account, email: 'beta@example.com' }))
  await expect.poll(() => dataOf(page).inputValue()).toContain('"total": 1')
  expect(await page.getByText('These are your unsaved edits.').count()).toBe(0)
  await signInAgain(client.server.adminToken)
  await page.getByText('These are your unsaved edits.').waitFor()
  expect(await dataOf(page).inputValue()).toBe('{"total": 2}')
  await client.close(tab)
})

test('what is typed while a save is on its way stays, and the next save keeps it', async () => {
  const { id, tab, page } = await openEdited('typed', '{"total": 2}')
  const save = page.getByRole('button', { name: 'Save' })
  const saves = await holdRequests(page, '**/graphql', 'SaveCase(')
  await save.click()
  await expect.poll(saves.count).toBe(1)
  await dataOf(page).fill('{"total": 2, "note": "typed meanwhile"}')
  saves.release()
  await page.getByText('Saved as version 2. What you typed meanwhile is not saved yet.').waitFor()
  expect(await dataOf(page).inputValue()).toBe('{"total": 2, "note": "typed meanwhile"}')
  await page.reload()
  await page.getByText('These are your unsaved edits.').waitFor()
  await save.click()
  await page.getByText('Saved as version 3.').waitFor()
  expect((await client.readCase(id)).data).toEqual({ total: 2, note: 'typed meanwhile' })
  await client.close(tab)
})

test('what is typed while a task runs stays, with what the task changed', async () => {
  await client.saveTask('Close', 'closed', 'exit({ ...payload, state: "closed" })')
  const id = await client.createCase('closed', { total: 1, state: 'open' })
  const tab = await client.open(`/cases/${id}`)
  const { page } = tab
  await page.getByRole('button', { name: 'Run Close' }).click()
  const tasks = await holdRequests(page, '**/graphql', 'RunTask(')
  await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click()
  await expect.poll(tasks.count).toBe(1)
  await dataOf(page).fill('{"total": 5, "state": "open"}')
  tasks.release()
  await page.getByText('Ran Close. The case is at version 2').waitFor()
  expect(JSON.parse(await dataOf(page).inputValue())).toEqual({ total: 5, state: 'closed' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved as version 3.').waitFor()
  expect((await client.readCase(id)).data).toEqual({ total: 5, state: 'closed' })
  await client.close(tab)
})

const changedOf = (page: Page) => page.getByRole('region', { name: 'Changed meanwhile' })

test('a task that changes what is edited says so, and the edits are kept or discarded', async () => {
  await client.saveTask('Count', 'counted', 'exit({ ...payload, total: payload.total + 1 })')
  const { id, tab, page } = await openEdited('counted', '{"total": 5, "state": "open"}')
  const save = page.getByRole('button', { name: 'Save' })
  await page.getByRole('button', { name: 'Run Count' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click()
  await page.getByText('Ran Count. The case is at version 2. It changed what you are editing.').waitFor()
  expect(await changedOf(page).getByRole('listitem').allInnerTexts()).toEqual(['/total 1 → 2'])
  expect(await findBarriers(page)).toEqual([])
  await save.click()
  await page.getByRole('alert').getByText('First keep your edits or discard them.').waitFor()
  await page.reload()
  await changedOf(page).getByRole('button', { name: 'Keep my edits' }).click()
  await changedOf(page).waitFor({ state: 'detached' })
  expect(await dataOf(page).inputValue()).toBe('{"total": 5, "state": "open"}')
  await save.click()
  await page.getByText('Saved as version 3.').waitFor()
  expect((await client.readCase(id)).data).toEqual({ total: 5, state: 'open' })
  await client.close(tab)
})

test('after somebody else’s save of other fields, the edits have them and can be saved', async () => {
  const { id, tab, page } = await openEdited('beside', '{"total": 2, "state": "open"}')
  await client.changeCase(id, { total: 1, state: 'closed' })
  const save = page.getByRole('button', { name: 'Save' })
  await save.click()
  await page.getByRole('alert').getByText('Now you see the case with their changes.').waitFor()
  expect(await changedOf(page).count()).toBe(0)
  await save.click()
  await page.getByText('Saved as version 3.').waitFor()
  expect((await client.readCase(id)).data).toEqual({ total: 2, state: 'closed' })
  await client.close(tab)
})

test('an answer that is not JSON is said to be none of a gateway', async () => {
  const tab = await client.open(`/cases/${await client.createCase('captive', { total: 1 })}`)
  const { page } = tab
  await dataOf(page).fill('{"total":2}')
  await page.route('**/graphql', route =>
    route.fulfill({ status: 200, body: '<html>Sign in to the Wi-Fi</html>' }),
  )
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('does not come from a Rostrum gateway').waitFor()
  await client.close(tab)
})

test('the parameters of a task are there after signing in again', async () => {
  await client.saveTask('Later', 'expired', 'exit(payload)')
  const id = await client.createCase('expired', {})
  const { page } = await client.open(`/cases/${id}`)
  const dialog = page.getByRole('dialog')
  const ask = () => page.getByRole('button', { name: 'Run Later' }).click()
  await ask()
  await dialog.getByLabel('Params').fill('{"level": 4}')
  await expireToken(page)
  await dialog.getByRole('button', { name: 'Run' }).click()
  await signInAgain(page, client.server.adminToken)
  await ask()
  expect(await dialog.getByLabel('Params').inputValue()).toBe('{"level": 4}')
  await page.context().close()
})

test('a task whose answer was lost and that is asked for again runs once', async () => {
  await client.saveTask('Raise', 'raised', 'exit({ total: payload.total + 1 })')
  const id = await client.createCase('raised', { total: 1 })
  const tab = await client.open(`/cases/${id}`)
  const { page } = tab
  await loseFirstAnswer(page, 'mutation RunTask')
  const run = async () => {
    await page.getByRole('button', { name: 'Run Raise' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click()
  }
  await run()
  await page.getByRole('alert').waitFor()
  await run()
  await page.getByText('Ran Raise. The case is at version 2.').waitFor()
  expect((await client.readCase(id)).data).toEqual({ total: 2 })
  await client.close(tab)
})

/** Opens a new case in a browser that is full, and edits it. */
async function openFull() {
  const id = await client.createCase('full', { title: 'old' })
  const tab = await client.open(`/cases/${id}`)
  const { page } = tab
  await page.getByLabel('Data').waitFor()
  await page.evaluate(() => {
    for (let length = 4_000_000, count = 0; length >= 1; count++)
      try {
        sessionStorage.setItem(`other.${count}`, 'x'.repeat(length))
      } catch {
        length = Math.floor(length / 2)
      }
  })
  await page.getByLabel('Data').fill('{"title": "only here"}')
  await page.getByText('This browser has no room to keep your edits.').waitFor()
  return tab
}

test('the browser asks before it leaves edits for which it has no room', async () => {
  const tab = await openFull()
  const { page } = tab
  expect(await stay(page)).toBe('beforeunload')
  expect(await page.getByLabel('Data').inputValue()).toContain('only here')
  await client.close(tab)
})

test('who signs out of a full browser, and stays at the question, can still save', async () => {
  const tab = await openFull()
  const { page } = tab
  const asked = Promise.withResolvers<void>()
  page.once('dialog', async dialog => {
    await dialog.dismiss()
    asked.resolve()
  })
  await page.getByRole('button', { name: 'Sign out' }).click()
  await asked.promise
  await page.keyboard.press('Control+S')
  await page.getByText('Saved as version 2.').waitFor()
  await client.close(tab)
})

test('a page that the browser kept is not loaded again over edits that are only there', async () => {
  const tab = await openFull()
  const { page } = tab
  const questions: string[] = []
  page.on('dialog', dialog => {
    questions.push(dialog.type())
    return dialog.accept()
  })
  await page.evaluate(() => void dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await page.waitForTimeout(500)
  expect(questions).toEqual([])
  expect(await page.getByLabel('Data').inputValue()).toContain('only here')
  await client.close(tab)
})
