import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { writeExample } from '../../src/pages/functions/sender-example.ts'
import type { Webhook } from '../../src/pages/functions/trigger-documents.ts'
import { saveWebhook } from '../server/clients/webhooks.ts'
import { type SharedServer, shareServer } from '../server/gateways/share-server.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

const text = 'correct horse battery staple'
const senders = [
  { name: 'standard', verification: 'STANDARD', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
  { name: 'github', verification: 'GITHUB', secret: text },
  { name: 'gitlab', verification: 'SECRET', secret: text, header: 'X-Gitlab-Token' },
  { name: 'hostile', verification: 'SECRET', secret: text, header: "X-`leak`'`leak`'$HOME" },
] as const

test.each(senders)('the example of $name is accepted at each paste, and runs nothing else', async sender => {
  const { name, verification, secret } = sender
  const { path } = await saveWebhook(server, {
    ...sender,
    sourceCode: 'exit(payload)',
    account: server.account,
  })
  const webhook: Webhook = {
    ...{ id: '1', enabled: true, scopes: [], function: { id: '1' }, mode: 'SYNC' },
    ...{ name, verification, header: 'header' in sender ? sender.header : null },
  }
  const lines = writeExample(webhook, server.baseUrl + path)
    .replace('the secret of this webhook', secret)
    .replace('curl ', 'curl -s -i ')
  const folder = makeTempFolder()
  const leaked = join(folder.path, 'leaked')
  writeFileSync(join(folder.path, 'leak'), `#!/bin/sh\n: > ${leaked}\n`, { mode: 0o755 })
  const env = { ...process.env, PATH: `${folder.path}:${process.env.PATH}` }
  for (let paste = 0; paste < 2; paste++) {
    const { stdout } = await promisify(execFile)('sh', ['-c', lines], { env })
    expect(stdout).toContain('200 OK')
    expect(stdout).toContain('{"hello":"world"}')
    expect(stdout).not.toContain('idempotency-replayed')
  }
  expect(existsSync(leaked)).toBe(false)
  folder.remove()
})
