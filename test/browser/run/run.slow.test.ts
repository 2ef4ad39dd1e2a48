import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { saveFunction } from '../../server/clients/webhooks.ts'
import { holdRequests } from '../hold-requests.ts'
import { enter, findBarriers, openTab, type WatchedTab } from '../open-browser.ts'
import { textOf, write } from '../playground.ts'
import { startBrowsing } from '../start-browsing.ts'

const { server, browser } = await startBrowsing()

/** Runs a function, once it is saved, and returns the id of its run. */
async function run(name: string, sourceCode: string, inputDocument: unknown = {}): Promise<string> {
  await saveFunction(server, name, sourceCode)
  const path = `/api/1/function/${encodeURIComponent(name)}/execute`
  const { body } = await server.rest<{ task_execution: { id: string } }>('POST', path, {
    body: { inputDocument, options: { params: { p: 1 } } },
  })
  return body.task_execution.id
}

async function openRun(id: string): Promise<WatchedTab> {
  const tab = await openTab(browser, server.baseUrl)
  await enter(tab.page, server.adminToken, `/runs/${id}`)
  return tab
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const status = (page: Page, text: RegExp) => page.getByRole('status').filter({ hasText: text })
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const items = (page: Page) => page.getByRole('list', { name: 'Timeline' }).getByRole('listitem')

test('a run shows its outcome, what it changed, its logs and its input, all as text', async () => {
  const { body } = await server.execute({
    name: '<b>total</b>',
    sourceCode: 'log("<i>seen</i>"); exit({ ...payload, total: 6 })',
    inputDocument: { total: 3, html: '<img src=x>' },
    options: { params: { p: 1 } },
  })
  const { page, faults } = await openRun(body.task_execution.id)
  await heading(page, '<b>total</b>').waitFor()
  await status(page, /exit [\d.]+ m?s/).waitFor()
  expect(await region(page, 'Result').innerText()).toContain('"html": "<img src=x>"')
  expect(await region(page, 'Difference').innerText()).toContain('/total 3 → 6')
  const entry = page.getByRole('list', { name: 'Log' }).getByRole('listitem')
  // The browser lays the log out when it comes into sight.
  await expect.poll(() => entry.innerText()).toBe('info <i>seen</i>')
  expect(await entry.ariaSnapshot()).toMatch(/: \d\d:\d\d:\d\d\.\d{3} info <i>seen/)
  expect(await region(page, 'Input').innerText()).toContain('"total": 3')
  expect(await page.getByRole('main').innerText()).toMatch(/Trigger\s+endpoint/)
  expect(await page.getByRole('main').innerText()).toMatch(/User\s+\d+ \(you\)/)
  expect(await findBarriers(page)).toEqual([])

  await page.getByRole('button', { name: 'Open in playground' }).click()
  await page.getByRole('status').filter({ hasText: 'From run' }).waitFor()
  expect(await textOf(page, 'Script')).toContain('total: 6')
  expect(JSON.parse(await textOf(page, 'Input'))).toMatchObject({ total: 3 })
  expect(JSON.parse(await textOf(page, 'Options'))).toMatchObject({ params: { p: 1 } })
  await page.reload()
  await page.getByText('Draft saved').waitFor()
  expect(await textOf(page, 'Script')).toContain('total: 6')
  expect(faults).toEqual([])
  await page.context().close()
})

test('`fail` shows its message, and an error its place with the lines around it', async () => {
  const { page, faults } = await openRun(await run('refuses', 'fail("nobody <u>is</u> there")'))
  await status(page, /fail [\d.]+ m?s/).waitFor()
  expect(await region(page, 'Result').innerText()).toContain('nobody <u>is</u> there')
  expect(await findBarriers(page)).toEqual([])
  await page.goto(`/runs/${await run('refuses-silently', 'fail()')}`)
  await region(page, 'Result').getByText('The script called fail without a message.').waitFor()
  const longLine = `// ${'long '.repeat(60)}`
  await page.goto(`/runs/${await run('breaks', `const a = {}\nexit(a.b.c)\n${longLine}`)}`)
  await status(page, /error RUNTIME [\d.]+ m?s/).waitFor()
  const result = await region(page, 'Result').innerText()
  expect(result).toMatch(/RUNTIME at Ln 2, Col \d+/)
  expect(result).toContain('  1 | const a = {}\n> 2 | exit(a.b.c)\n')
  expect(await findBarriers(page)).toEqual([])
  expect(faults).toEqual([])
  await page.context().close()
})

test('the timeline has the run, its calls and the runs inside it, in proportion', async () => {
  const script = `
    const spin = ms => { for (const end = Date.now() + ms; Date.now() < end;); }
    spin(100)
    await graphql('{ viewer { accountCode } }')
    await Platform.tasks.execute({ name: 'inner', inputDocument: 1, sourceCode:
      "for (const end = Date.now() + 300; Date.now() < end;); await Platform.tasks.execute(" +
      "{ name: 'innermost', inputDocument: 1, sourceCode: 'exit(1)' }); exit(1)" })
    await graphql('{ none }').catch(() => {})
    spin(100)
    exit(1)`
  const id = await run('outer', script)
  const { page, faults } = await openRun(id)
  await items(page).nth(4).waitFor()
  const bars = await Promise.all(
    (await items(page).getByRole('img').all()).map(async bar => ({
      label: (await bar.getAttribute('aria-label')) ?? '',
      box: (await bar.boundingBox()) ?? expect.unreachable(),
    })),
  )
  const times = bars.map(({ label, box }) => {
    const [, name, start, takes] = /^(\w+): starts at (\d+) ms, takes (\d+) ms$/.exec(label) ?? []
    return { name, start: Number(start), takes: Number(takes), box }
  })
  expect(times.map(({ name }) => name)).toEqual(['outer', 'viewer', 'inner', 'innermost', 'none'])
  const starts = times.map(({ start }) => start)
  expect(starts).toEqual(starts.toSorted((one, other) => one - other))
  const [whole] = times
  if (whole === undefined) return expect.unreachable()
  const pixels = whole.box.width / whole.takes
  for (const { start, takes, box } of times) {
    expect(Math.abs(box.x - whole.box.x - start * pixels)).toBeLessThan(1.5)
    expect(Math.abs(box.width - takes * pixels)).toBeLessThan(2)
  }

  const scrolled = () => page.evaluate(() => scrollY)
  const before = await scrolled()
  await items(page)
    .getByRole('img', { name: /^none:/ })
    .click()
  await region(page, 'none').waitFor()
  expect(await scrolled()).toBe(before)
  await page.goBack()
  await region(page, 'none').waitFor({ state: 'detached' })
  await page.goForward()
  expect(await region(page, 'none').innerText()).toContain('Cannot query field')
  expect(await findBarriers(page)).toEqual([])
  const viewer = items(page).getByRole('link', { name: /^viewer/ })
  for (const count of [1, 0, 1]) {
    await viewer.press('Enter')
    await expect.poll(() => region(page, 'viewer').count()).toBe(count)
    expect(await viewer.evaluate(link => link === document.activeElement)).toBe(true)
  }
  expect(await region(page, 'none').count()).toBe(0)
  expect(new URL(page.url()).pathname).toBe(`/runs/${id}`)
  await items(page)
    .getByRole('img', { name: /^inner:/ })
    .click()
  await heading(page, 'inner').waitFor()
  expect(new URL(page.url()).pathname).not.toBe(`/runs/${id}`)
  await page.getByRole('link', { name: /^outer/ }).click()
  await heading(page, 'outer').waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})

test('a run whose script came with its request can be replayed and opened', async () => {
  const { body } = await server.execute({ name: 'sent', sourceCode: "log(1); exit('sent')" })
  const { id } = body.task_execution
  const { page, faults } = await openRun(id)
  await page.getByRole('button', { name: 'Open in playground' }).waitFor()
  expect(await page.getByRole('button', { name: 'Replay on live' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Replay', exact: true }).click()
  const first = page.locator(`a[href="/runs/${id}"]`)
  // Both began at almost the same time, with which their ids begin.
  expect(await first.innerText()).toBe(`sent ${id.slice(-8)}`)
  await first.click()
  await page.locator('dt', { hasText: 'Replays' }).waitFor()
  await page.getByRole('button', { name: 'Open in playground' }).click()
  await status(page, /From run/).waitFor()
  expect(await textOf(page, 'Script')).toBe("log(1); exit('sent')")
  expect(faults).toEqual([])
  await page.context().close()
})

test('a run of a function opens as a draft of that function, also if another version is live', async () => {
  const id = await run('mended', 'exit(payload.totl)', { total: 3 })
  const { page, faults } = await openRun(id)
  await page.getByRole('button', { name: 'Open in playground' }).click()
  await status(page, /From run/).waitFor()
  await heading(page, 'mended').waitFor()
  await write(page, 'Script', 'exit(payload.total)')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Comment').fill('reads the total')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved: this version is live').waitFor()

  await page.goto(`/runs/${id}`)
  await page.getByRole('button', { name: 'Open in playground' }).click()
  await status(page, /From run .*Another version is live now; Save shows both/).waitFor()
  expect(await textOf(page, 'Script')).toBe('exit(payload.totl)')
  expect(faults).toEqual([])
  await page.context().close()
})

test('a replay opens the new run, and the two runs link to each other', async () => {
  const id = await run('changes', 'exit("first")')
  await saveFunction(server, 'changes', 'exit("second")')
  const { page, faults } = await openRun(id)
  await page.getByRole('button', { name: 'Replay', exact: true }).click()
  await page.waitForURL(url => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(id))
  await page.locator(`a[href="/runs/${id}"]`).waitFor()
  expect(await region(page, 'Result').innerText()).toContain('first')
  const replayed = page.url()
  await page.goto(`/runs/${id}`)
  await page.getByRole('button', { name: 'Replay on live' }).click()
  await region(page, 'Result').getByText('second').waitFor()
  expect(await page.getByRole('main').innerText()).toMatch(/Trigger\s+replay/)
  await page.locator(`a[href="/runs/${id}"]`).click()
  await page.waitForURL(`**/runs/${id}`)
  await page.locator(`a[href="${new URL(replayed).pathname}"]`).waitFor()
  await server.graphql('mutation { removeFunction(name: "changes") { id } }')
  await page.reload()
  await page.getByText('the function was removed').waitFor()
  expect(await page.locator('a[href^="/functions/"]').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Replay on live' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Replay', exact: true }).count()).toBe(1)
  expect(faults).toEqual([])
  await page.context().close()
})

test('a replay that is a dry run changes nothing', async () => {
  const mutation = 'mutation { saveCase(input: { caseTypeCode: "kept", data: {} }) { saved } }'
  const id = await run('saves', `exit((await graphql('${mutation}')).data)`)
  const { page, faults } = await openRun(id)
  await page.getByRole('checkbox', { name: 'Dry run' }).check()
  expect(await findBarriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Replay on live' }).click()
  await page.locator('dt', { hasText: 'Dry run' }).waitFor()
  const { body } = await server.graphql<{ cases: { nodes: unknown[] } }>(
    '{ cases(filter: { caseTypeCode: "kept" }) { nodes { id } } }',
  )
  expect(body.data?.cases.nodes).toHaveLength(1)
  // A replay of a dry run is dry too.
  const again = page.getByRole('checkbox', { name: 'Dry run' })
  expect([await again.isChecked(), await again.isDisabled()]).toEqual([true, true])
  expect(faults).toEqual([])
  await page.context().close()
})

test('a press while the page of a replay loads makes no other replay', async () => {
  const id = await run('once', 'exit(1)')
  const { page, faults } = await openRun(id)
  const button = page.getByRole('button', { name: 'Replay', exact: true })
  await button.waitFor()
  const next = await holdRequests(page, '**/runs/*')
  await button.evaluate(element => void setInterval(() => (element as HTMLElement).click(), 50))
  await expect.poll(next.count).toBe(1)
  await sleep(500)
  next.release()
  await page.waitForURL(url => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(id))
  const { body } = await server.graphql<{ runs: { nodes: unknown[] } }>(
    'query($id: ID!) { runs(filter: { replayOf: $id }) { nodes { id } } }',
    { id },
  )
  expect(body.data?.runs.nodes).toHaveLength(1)
  expect(faults).toEqual([])
  await page.context().close()
})

test('an unknown id, one that is no id and one of another account get the same alert', async () => {
  const account = `${server.account}-other`
  const token = await server.token({ account, email: 'bob@example.com', scopes: ['admin'] })
  const { body } = await server.execute('exit(1)', { token })
  const { page, faults } = await openRun('none')
  const texts = new Set<string>()
  for (const id of ['none', '%25', crypto.randomUUID(), body.task_execution.id]) {
    await page.goto(`/runs/${id}`)
    texts.add(await page.getByRole('alert').innerText())
  }
  expect([...texts]).toEqual(['There is no such run, or it is not kept any more.'])
  expect(await findBarriers(page)).toEqual([])
  expect(faults).toEqual([])
  await page.context().close()
})

/** Runs a function for some seconds, and returns the id of its run while it goes on. */
async function runSlowly(name: string): Promise<{ readonly id: string; readonly ended: Promise<string> }> {
  const inner = 'for (const end = Date.now() + 600; Date.now() < end;); exit(1)'
  const script = `for (let i = 0; i < 8; i++)
    await Platform.tasks.execute({ name: 'part', inputDocument: 1, sourceCode: '${inner}' })
  exit('done')`
  const ended = run(name, script)
  const find = async () => {
    const { body } = await server.graphql<{ runs: { nodes: { id: string; name: string }[] } }>(
      '{ runs(filter: { state: RUNNING }) { nodes { id name } } }',
    )
    return body.data?.runs.nodes.find(node => node.name === name)?.id
  }
  await expect.poll(find, { timeout: 5_000 }).toBeDefined()
  return { id: (await find()) ?? '', ended }
}

test('a run that goes on is followed until it has ended', async () => {
  const { id, ended } = await runSlowly('slow')
  const { page, faults } = await openRun(id)
  await status(page, /^\s*running\s*$/).waitFor()
  expect(await findBarriers(page)).toEqual([])
  await status(page, /exit [\d.]+ s/).waitFor()
  await region(page, 'Result').getByText('done').waitFor()
  expect(await ended).toBe(id)
  expect(faults).toEqual([])
  await page.context().close()
})

test('a hidden tab does not follow its run, and shows its end when somebody looks at it', async () => {
  const { id, ended } = await runSlowly('unwatched')
  const { page, faults } = await openRun(id)
  await status(page, /^\s*running\s*$/).waitFor()
  const setVisibility = (state: 'hidden' | 'visible') =>
    page.evaluate(value => {
      Object.defineProperty(document, 'visibilityState', { value, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, state)
  await setVisibility('hidden')
  await ended
  // Twice the time between two looks.
  await sleep(1_400)
  await status(page, /^\s*running\s*$/).waitFor()
  await setVisibility('visible')
  await status(page, /exit [\d.]+ s/).waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})

test('a run is followed on after an answer that is an error', async () => {
  const { id } = await runSlowly('interrupted')
  const { page, faults } = await openRun(id)
  await status(page, /^\s*running\s*$/).waitFor()
  const refusal = { message: 'The gateway is stopping.', extensions: { code: 'UNAVAILABLE' } }
  await page.route('**/graphql', route => route.fulfill({ status: 503, json: { errors: [refusal] } }), {
    times: 1,
  })
  await page.getByRole('alert').getByText('The gateway is stopping.').waitFor()
  await status(page, /exit [\d.]+ s/).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(faults).toEqual([])
  await page.context().close()
})

test('a run is printed whole and light, without buttons and header', async () => {
  const sourceCode = 'for (let i = 0; i < 200; i++) log("line", i); exit(1)'
  const { page, faults } = await openRun(await run('printed', sourceCode))
  const logs = region(page, 'Logs')
  await logs.getByText('199').waitFor()
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' })
  const box = logs.locator('.box')
  expect(await box.evaluate(element => element.scrollHeight - element.clientHeight)).toBe(0)
  expect(await page.evaluate('getComputedStyle(document.documentElement).color')).toBe('rgb(28, 33, 48)')
  expect(await page.getByRole('button').count()).toBe(0)
  expect(await page.getByRole('navigation').count()).toBe(0)
  expect(faults).toEqual([])
  await page.context().close()
})

test('large values are shown in part, and the page answers keys', async () => {
  const { page, faults } = await openRun(
    await run('large', 'log("x".repeat(200_000)); exit("y".repeat(250_000))', { z: 'z'.repeat(250_000) }),
  )
  await region(page, 'Result').getByText('truncated: 64 KB of 245 KB').waitFor()
  await region(page, 'Input').getByText('truncated: 64 KB of 245 KB').waitFor()
  await region(page, 'Logs').getByText('truncated: 64 KB of').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.goto(`/runs/${await run('too-large', 'exit("y".repeat(1_000_000))')}`)
  await region(page, 'Result')
    .getByText('It is not kept: it was over 256 KiB, or there was no room for it.')
    .waitFor()
  expect(await region(page, 'Result').locator('pre').count()).toBe(0)
  expect(await region(page, 'Difference').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Replay', exact: true }).count()).toBe(1)
  await page.goto(`/runs/${await run('too-large', 'exit(1)', { z: 'z'.repeat(300_000) })}`)
  await region(page, 'Input')
    .getByText('It is not kept: it was over 256 KiB, there was no room for it, or it is too old.')
    .waitFor()
  await page.getByText('It cannot be replayed: its input is not kept.').waitFor()
  expect(await page.getByRole('button', { name: /Replay/ }).count()).toBe(0)
  expect(await region(page, 'Difference').count()).toBe(0)
  await page.keyboard.press('?')
  await page.getByRole('dialog').getByText('Goes back to the list').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.waitForURL('**/runs')
  expect(faults).toEqual([])
  await page.context().close()
})
