import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { close, startBrowsing } from '../start-browsing.ts'

const { server, open } = await startBrowsing()

/**
 * Double-clicks low on the button, because words above it can move it down. The second click comes once the first one
 * has changed the page.
 */
async function clickTwice(page: Page, button: Locator, isChanged: () => Promise<void>): Promise<void> {
  await button.scrollIntoViewIfNeeded()
  const box = (await button.boundingBox()) ?? expect.unreachable()
  await page.mouse.click(box.x + box.width / 2, box.y + box.height - 4)
  await isChanged()
  await page.mouse.down({ clickCount: 2 })
  await page.mouse.up({ clickCount: 2 })
}

function countChanges(page: Page): () => number {
  let changes = 0
  page.on('request', request => {
    if (request.postData()?.includes('mutation')) changes++
  })
  return () => changes
}

test('a slow double click on “Remove” removes one member, and one on “Undo” brings that one back', async () => {
  for (const userId of [1, 2, 3, 4])
    await server.graphql(`mutation { addTeamMembership(input: { userId: ${userId}, teamId: 930 }) { id } }`)
  const tab = await open('/members?team=930')
  const { page } = tab
  const changes = countChanges(page)
  const rows = page.getByRole('list', { name: 'Members' }).getByRole('listitem')
  const untilRows = (count: number) => expect.poll(() => rows.count()).toBe(count)
  const undo = page.getByRole('button', { name: 'Undo' })
  await untilRows(4)
  await clickTwice(page, rows.nth(1).getByRole('button', { name: 'Remove' }), () => untilRows(3))
  await clickTwice(page, undo, () => untilRows(4))
  await page.getByText('Took back user 2').waitFor()
  // A click of its own presses the button that the double click did not.
  await undo.click()
  await page.getByText('Removed user 2').waitFor()
  expect(changes()).toBe(3)
  await close(tab)
})

test('a slow double click on “Switch off” leaves the hook switched off', async () => {
  const { body } = await server.graphql<{ saveFunction: { id: string } }>(
    'mutation { saveFunction(input: { name: "double", sourceCode: "exit(1)" }) { id } }',
  )
  const functionId = body.data?.saveFunction.id
  await server.graphql('mutation($input: SaveHookInput!) { saveHook(input: $input) { id } }', {
    input: { functionId, caseTypeCode: 'double', event: 'POST_SAVE' },
  })
  const tab = await open(`/functions/${functionId}`)
  const { page } = tab
  const changes = countChanges(page)
  const switchOn = page.getByRole('button', { name: 'Switch on' })
  await clickTwice(page, page.getByRole('button', { name: 'Switch off' }), () => switchOn.waitFor())
  await switchOn.click()
  await page.getByText('After each save of double is on.').waitFor()
  expect(changes()).toBe(2)
  await close(tab)
})
