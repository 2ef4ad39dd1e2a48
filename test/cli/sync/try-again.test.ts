import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { useSignedIn } from '../spawn-rostrum.ts'

const { server, place } = useSignedIn()

test('push --watch tries a case again that found no gateway after the push', async () => {
  const { body } = await server.graphql<{ saveCase: { case: { id: string } } }>(
    'mutation { saveCase(input: { caseTypeCode: "incident", data: {} }) { case { id } } }',
  )
  const id = body.data?.saveCase.case.id ?? ''
  let tries = 0
  const busy = createServer(async (request, response) => {
    const sent = await text(request)
    if (sent.includes('SaveCaseInput') && tries++ === 0) return void response.writeHead(503).end()
    const { authorization = '', accept = '' } = request.headers
    const headers = { authorization, accept, 'content-type': 'application/json' }
    const answer = await fetch(`${server.baseUrl}${request.url}`, { method: 'POST', headers, body: sent })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  onTestFinished(() => void busy.close())
  await once(busy.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`
  await place.write('functions/_/f.js', 'exit(1)')
  const going = place.start(['push', '--watch', '--yes', '--try', id, '--url', url])
  await expect.poll(going.stderr, { timeout: 10_000 }).toContain(`No hook ran for case ${id}.`)
  expect(going.stderr()).toContain('Trying again in 1 s')
  expect(tries).toBe(2)
  going.interrupt()
  expect((await going.ended).code).toBe(130)
})

test('push --try prints the run of a hook that refuses the save, with its log', async () => {
  const made = await server.graphql<{ saveCase: { case: { id: string } } }>(
    'mutation { saveCase(input: { caseTypeCode: "refusing", data: {} }) { case { id } } }',
  )
  const id = made.body.data?.saveCase.case.id ?? ''
  const hook = await server.graphql(`mutation {
    saveFunction(input: { name: "refuser", sourceCode: "log('seen'); null.x" }) { id }
    saveHook(input: { caseTypeCode: "refusing", event: PRE_SAVE, functionName: "refuser", scopes: [] }) { id }
  }`)
  expect(hook.body.errors).toBeUndefined()
  await place.write('functions/_/f.js', 'exit(2)')
  await place.runHere(['pull', '--force'])
  await place.write('functions/_/f.js', 'exit(3)')
  const { code, stdout, stderr } = await place.runHere(['push', '--yes', '--try', id])
  expect(code).not.toBe(0)
  expect(stdout).toMatch(/hook\s+refuser\s+error.*RUNTIME.*\(line 1\)\n\s+info\s+seen/)
  expect(stderr).toContain('so nothing was changed')
})
