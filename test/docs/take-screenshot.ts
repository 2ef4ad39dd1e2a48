// Takes the pictures of the playground that the README shows: `npm run screenshot`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openBrowser, openTab, signIn } from '../browser/open-browser.ts'
import { field, write } from '../browser/playground.ts'
import { startServer } from '../server/gateways/start-server.ts'

const script = `// Reads the customer's team and adds up the order
const { data } = await graphql(\`{ team(id: 3) { memberships { nodes { id } } } }\`)
log('team members', data.team?.memberships.nodes.length ?? 0)

const total = payload.items.reduce((sum, item) => sum + item.price * item.count, 0)
if (total > options.params.limit) {
  log('order is over the limit', { total, limit: options.params.limit })
  fail(\`An order may cost \${options.params.limit} at most\`)
}

log('total', total)
exit({ ...payload, total, state: 'checked' })
`
const input = `{
  "items": [
    { "name": "pen", "price": 2, "count": 3 },
    { "name": "book", "price": 12, "count": 1 }
  ],
  "total": 0
}`

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url))
mkdirSync(folder, { recursive: true })
const server = await startServer()
const browser = await openBrowser()
try {
  // The first run waits for a new process. The pictures show the usual time.
  for (let run = 0; run < 3; run++) await server.execute('exit(await graphql("{ viewer { userId } }"))')
  for (const colorScheme of ['light', 'dark'] as const) {
    const viewport = { width: 1_280, height: 720 }
    const { page } = await openTab(browser, server.baseUrl, {
      viewport,
      colorScheme,
      reducedMotion: 'reduce',
    })
    await server.rest('POST', '/platform/team_memberships', {
      body: { team_membership: { user_id: 7, team_id: 3 } },
    })
    await signIn(page, server.adminToken)
    await write(page, 'Input', input)
    await write(page, 'Options', '{ "params": { "limit": 100 } }')
    await write(page, 'Script', script)
    await page.getByText('Types ready').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByRole('status').filter({ hasText: 'exit' }).waitFor()
    await page.getByRole('tab', { name: 'Difference' }).click()
    await field(page, 'Script').press('Control+Home')
    // Playwright itself writes no WebP, which takes half the bytes of PNG.
    const session = await page.context().newCDPSession(page)
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 92 })
    writeFileSync(`${folder}playground-${colorScheme}.webp`, data, 'base64')
    await page.context().close()
  }
} finally {
  await browser.close()
  await server.stop()
}
