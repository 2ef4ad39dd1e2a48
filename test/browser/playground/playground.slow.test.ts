import { expect, test } from 'vitest'
import { bytesOnTheWire, enter, findBarriers, openTab, signIn, turnOffCache } from '../open-browser.ts'
import { field, openPlayground, openTypedPlayground, textOf, write } from '../playground.ts'
import { startBrowsing } from '../start-browsing.ts'

const { server, browser } = await startBrowsing()

test('the fields take text as it is, and the cursor’s place is shown', async () => {
  const { page, faults } = await openPlayground(browser, server)
  const text = 'if (true) {\n  const a = [1, "(", \'{\']\n      }\nexit(1)'
  await write(page, 'Script', text)
  expect(await textOf(page, 'Script')).toBe(text)
  await page.getByText('Ln 4, Col 8').waitFor()
  await field(page, 'Options').fill('{"params": {}}')
  expect(await textOf(page, 'Options')).toBe('{"params": {}}')
  await field(page, 'Script').press('Escape')
  await page.keyboard.press('Tab')
  expect(await field(page, 'Script').evaluate(own => own.matches(':focus'))).toBe(false)
  expect(faults).toEqual([])
  await page.context().close()
})

test('the playground has no barrier, empty and full, and is small', async () => {
  const { page, faults } = await openTypedPlayground(browser, server)
  expect(await findBarriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Examples' }).click()
  expect(await page.getByRole('menuitem').count()).toBeGreaterThanOrEqual(4)
  expect(await findBarriers(page)).toEqual([])
  await turnOffCache(page)
  const sizes: Promise<number>[] = []
  page.on('response', answer => {
    if (answer.request().frame() !== page.mainFrame() || new URL(answer.url()).pathname === '/graphql') return
    if (!/typescript\.js|types\/|language-types|rostrum\.d\.ts/.test(answer.url()))
      sizes.push(bytesOnTheWire(answer.request()))
  })
  await page.reload({ waitUntil: 'networkidle' })
  expect(sizes.length).toBeGreaterThan(20)
  expect((await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)).toBeLessThan(340_000)
  expect(faults).toEqual([])
  await page.context().close()
})

test('a draft survives a reload straight after a key, two tabs have two, and a sign-out hides them', async () => {
  const { page, faults } = await openPlayground(browser, server)
  await write(page, 'Script', 'exit("mine")')
  await write(page, 'Input', '{"a": 1}')
  await field(page, 'Script').click()
  await page.keyboard.press('Control+End')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.type('!')
  await page.reload()
  await page.getByText('Draft saved').waitFor()
  expect([await textOf(page, 'Script'), await textOf(page, 'Input')]).toEqual(['exit("mine"!)', '{"a": 1}'])
  await page.getByText('Ln 1, Col 13').waitFor()

  const other = await page.context().newPage()
  await signIn(other, server.adminToken)
  expect(await textOf(other, 'Script')).not.toContain('mine')
  await write(other, 'Script', 'exit("other")')
  await page.reload()
  expect(await textOf(page, 'Script')).toBe('exit("mine"!)')

  await page.getByRole('button', { name: 'Drafts' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'exit("other")' }).click()
  expect(await textOf(page, 'Script')).toBe('exit("other")')

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/login')
  const stranger = await server.token({
    account: server.account,
    email: 'other@example.com',
    scopes: ['tasks:execute'],
  })
  await page.getByLabel('Token').fill(stranger)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/playground')
  expect(await textOf(page, 'Script')).not.toContain('other')
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(1)
  await page.getByRole('button', { name: 'Drafts' }).click()
  await page.getByRole('dialog').getByText('No drafts').waitFor()
  expect(await findBarriers(page)).toEqual([])
  expect(faults).toEqual([])
  await page.context().close()
})

test('who may not run scripts has no button for it, and reads why', async () => {
  const { page, faults } = await openTab(browser, server.baseUrl, { hasTypes: false })
  const token = await server.token({ account: server.account, scopes: ['functions:read'] })
  await enter(page, token)
  await page.getByRole('tabpanel').getByText('Your token lacks the scope tasks:execute.').waitFor()
  expect(await page.getByRole('button', { name: /^(Run|Stop|Save)/ }).count()).toBe(0)
  await page.locator('body').press('?')
  const keys = page.getByRole('dialog')
  await keys.getByText('Leaves an editor').waitFor()
  expect(await keys.getByText('Runs the script').or(keys.getByText('Saves')).count()).toBe(0)
  expect(faults).toEqual([])
  await page.context().close()
})

test('a link fills the fields, runs nothing, and is refused when it is too large', async () => {
  const { page, faults } = await openPlayground(browser, server)
  const posted: string[] = []
  page.on('request', request => void posted.push(new URL(request.url()).pathname))
  await write(page, 'Script', 'exit("linked")')
  await page.getByRole('button', { name: 'Link' }).click()
  const link = await page.getByLabel('Link', { exact: true }).inputValue()
  expect(link).toMatch(/\/playground#code=[\w-]+$/)
  expect(await findBarriers(page)).toEqual([])

  await write(page, 'Script', 'exit("kept")')
  await page.evaluate(hash => location.assign(hash), new URL(link).hash)
  await page.getByText('From a link').waitFor()
  expect(await textOf(page, 'Script')).toBe('exit("linked")')

  // A field with the link of another script would be copied.
  await page.getByRole('button', { name: 'Link' }).click()
  await page.getByText('Link copied').or(page.getByText('Copy the link')).waitFor()
  await page.getByRole('button', { name: 'Examples' }).click()
  await page.getByRole('menuitem').first().click()
  await page.getByText('Example: ').waitFor()
  expect(await page.getByLabel('Link', { exact: true }).count()).toBe(0)
  await page.evaluate(hash => location.assign(hash), new URL(link).hash)
  await page.getByText('From a link').waitFor()

  await page.evaluate(() => location.assign(`#code=${'A'.repeat(9_000)}`))
  await page.getByRole('alert').filter({ hasText: 'too large' }).waitFor()
  expect(await textOf(page, 'Script')).toBe('exit("linked")')
  const noise = Array.from({ length: 3_000 }, (_, index) => Math.sin(index).toString(36)).join('')
  await write(page, 'Script', noise)
  await page.getByRole('button', { name: 'Link' }).click()
  await page.getByRole('alert').filter({ hasText: 'too large' }).waitFor()
  expect(posted.filter(path => path.startsWith('/api/'))).toEqual([])
  expect(faults).toEqual([])
  await page.context().close()
})

test('each example fills the fields, and its first line says how it ends', async () => {
  const { page, faults } = await openPlayground(browser, server)
  await page.getByRole('button', { name: 'Examples' }).click()
  const names = await page.getByRole('menuitem').allInnerTexts()
  await page.keyboard.press('Escape')
  for (const name of names) {
    await page.getByRole('button', { name: 'Examples' }).click()
    await page.getByRole('menuitem', { name: name.trim() }).click()
    expect(await textOf(page, 'Script')).toMatch(/^\/\/ (exit|fail|error [A-Z]+) /)
  }
  expect(faults).toEqual([])
  await page.context().close()
})

test('a script is saved as a function, and another version that became live is not overwritten', async () => {
  const { page, faults } = await openPlayground(browser, server)
  await write(page, 'Script', 'exit("first")')
  await page.keyboard.press('Control+s')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('of-the-page')
  expect(await findBarriers(page)).toEqual([])
  await dialog.getByLabel('Comment').fill('from a test')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\?function=\d+$/)
  await page.reload()
  await expect.poll(() => textOf(page, 'Script')).toBe('exit("first")')

  await server.graphql(
    `mutation { saveFunction(input: { name: "of-the-page", sourceCode: "exit('theirs')" }) { id } }`,
  )
  await write(page, 'Script', 'exit("second")')
  await page.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText("exit('theirs')").waitFor()
  await dialog.getByText('exit("second")').waitFor()
  const question = dialog.getByRole('heading', { name: 'Another version is live' })
  await expect.poll(() => question.evaluate(shown => shown === document.activeElement)).toBe(true)
  await dialog.getByText('another version became live after you opened this one').waitFor()
  expect(await findBarriers(page)).toEqual([])
  const live = async () =>
    JSON.stringify((await server.graphql('{ function(name: "of-the-page") { live { sourceCode } } }')).body)
  expect(await live()).toContain('theirs')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await textOf(page, 'Script')).toBe('exit("second")')

  await page.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('button', { name: 'Save mine' }).click()
  await page.getByText('Saved: this version is live').waitFor()
  expect(await live()).toContain('second')
  expect(faults).toEqual([])
  await page.context().close()
})

test('to save needs no scope but `functions:write`, and a version that became live is not overwritten', async () => {
  const token = await server.token({ account: server.account, scopes: ['functions:write'] })
  const { page, faults } = await openTab(browser, server.baseUrl)
  await signIn(page, token)
  await write(page, 'Script', 'exit("written")')
  const dialog = page.getByRole('dialog')
  const save = async () => {
    await page.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
  }
  await page.getByRole('button', { name: 'Save' }).click()
  await dialog.getByLabel('Name').fill('only-written')
  await page.keyboard.press('Enter')
  await page.getByText('Saved: this version is live').waitFor()
  await page.getByRole('heading', { level: 1, name: 'only-written' }).waitFor()
  await write(page, 'Script', 'exit("again")')
  await save()
  await page.getByText('Saved: this version is live').waitFor()
  await server.graphql(
    `mutation { saveFunction(input: { name: "only-written", sourceCode: "exit('theirs')" }) { id } }`,
  )
  await write(page, 'Script', 'exit("mine")')
  await save()
  await dialog.getByRole('alert').waitFor()
  const { body } = await server.graphql('{ function(name: "only-written") { live { sourceCode } } }')
  expect(body.data).toEqual({ function: { live: { sourceCode: "exit('theirs')" } } })
  expect(faults).toEqual([])
  await page.context().close()
})

test('the types mark a mistake, complete a name with its documentation, and know the input', async () => {
  const { page, faults } = await openTypedPlayground(browser, server)
  await page.getByText('Types ready').waitFor()
  const problems = page.getByRole('list', { name: 'Problems' }).getByRole('listitem')
  expect(await problems.count()).toBe(0)
  await write(page, 'Input', '{"total": 3, "lines": [{"price": 1}]}')
  await write(
    page,
    'Script',
    'payload.seen = true\nconst { price } = payload.lines[0]\nexit(payload.totl + price)',
  )
  await problems.filter({ hasText: /Ln 3, Col 14 .*totl/ }).waitFor()
  expect(await problems.count()).toBe(1)
  expect(await findBarriers(page)).toEqual([])
  await problems.first().click()
  await page.getByText('Ln 3, Col 14', { exact: true }).waitFor()
  expect(await field(page, 'Script').evaluate(own => own.matches(':focus'))).toBe(true)
  await field(page, 'Input').click()
  await problems.first().press('Enter')
  expect(await field(page, 'Script').evaluate(own => own.matches(':focus'))).toBe(true)
  await write(page, 'Input', '{"totl": 3, "lines": [{"price": 1}]}')
  await expect.poll(() => problems.count()).toBe(0)

  await write(page, 'Script', 'await Platform.teamM')
  await page.keyboard.type('e')
  await page.getByRole('listbox').getByRole('option', { name: 'teamMemberships' }).waitFor()
  await page.waitForTimeout(100)
  await page.keyboard.press('Enter')
  expect(await textOf(page, 'Script')).toBe('await Platform.teamMemberships')
  await write(page, 'Script', 'log(1)')
  await field(page, 'Script').getByText('log').hover()
  const description = page.getByRole('tooltip').filter({ hasText: 'Writes an entry to the logs' })
  await description.waitFor()
  await page.keyboard.press('Escape')
  await description.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
  await page.context().close()
})

test('what a call takes is shown from its bracket on, with the argument at the cursor marked', async () => {
  const { page, faults } = await openTypedPlayground(browser, server)
  const help = page.getByRole('tooltip')
  const marked = help.locator('strong')
  await write(page, 'Script', 'await graphql')
  await page.keyboard.type("('{ a }'")
  await help.filter({ hasText: 'graphql(query: string, variables' }).waitFor()
  expect(await marked.innerText()).toBe('query: string')
  await page.keyboard.type(', ')
  await marked.filter({ hasText: 'variables' }).waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
  await page.keyboard.type('null, ')
  await marked.filter({ hasText: 'url' }).waitFor()
  await page.keyboard.type(')')
  await help.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
  await page.context().close()
})

test('a script that the types cannot check has no marks of the one before it, and the next has its own', async () => {
  const { page, faults } = await openTypedPlayground(browser, server)
  const problems = page.getByRole('list', { name: 'Problems' }).getByRole('listitem')
  await write(page, 'Script', 'exti(1)')
  await problems.filter({ hasText: 'exti' }).waitFor()
  await write(page, 'Script', `exit(${'['.repeat(9_000)}${']'.repeat(9_000)})`)
  await page.getByText('Types cannot check this script').waitFor()
  expect(await problems.count()).toBe(0)
  await write(page, 'Script', 'fial("no")')
  await problems.filter({ hasText: 'fial' }).waitFor()
  await page.getByText('Types ready').waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})

test('an unknown function is said in an alert, and a credential without scopes has no buttons', async () => {
  const { page, faults } = await openPlayground(browser, server)
  await page.goto('/playground?function=999999')
  await page.getByRole('alert').filter({ hasText: 'There is no such function.' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await signIn(page, await server.token({ account: server.account, user: 9, scopes: ['memberships:read'] }))
  await page.getByRole('button', { name: 'Examples' }).waitFor()
  for (const name of ['Run', 'Save']) expect(await page.getByRole('button', { name }).count()).toBe(0)
  expect(faults).toEqual([])
  await page.context().close()
})

test('nothing moves for somebody who prefers that', async () => {
  const { page } = await openPlayground(browser, server)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.reload()
  await field(page, 'Script').click()
  const moving = await page.evaluate(() =>
    document.getAnimations().map(animation => Number(animation.effect?.getComputedTiming().duration)),
  )
  expect(moving.filter(ms => ms > 50)).toEqual([])
  await page.context().close()
})

test('with the colors of the system, the open page and tab are marked', async () => {
  const { page } = await openPlayground(browser, server)
  await page.emulateMedia({ forcedColors: 'active' })
  for (const mark of ['.page-header .links a[aria-current]', '[role="tab"][aria-selected="true"]']) {
    const border = page.locator(mark).first()
    expect(await border.evaluate(own => getComputedStyle(own).borderBottomStyle), mark).toBe('solid')
  }
  await page.context().close()
})

test('a notice has a box only while it says something, and its place is there before', async () => {
  const { page, faults } = await openPlayground(browser, server)
  const notice = page.getByRole('status').and(page.locator('.notice'))
  expect(await notice.count()).toBe(1)
  expect(await notice.boundingBox()).toMatchObject({ width: 0, height: 0 })
  await page.getByRole('button', { name: 'Examples' }).click()
  await page.getByRole('menuitem').first().click()
  await notice.getByText('Example: ').waitFor()
  expect((await notice.boundingBox())?.width).toBeGreaterThan(100)
  await write(page, 'Script', 'exit(1)')
  await expect.poll(() => notice.boundingBox()).toMatchObject({ width: 0, height: 0 })
  expect(faults).toEqual([])
  await page.context().close()
})
