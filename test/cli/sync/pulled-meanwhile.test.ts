import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { useSignedIn } from '../spawn-rostrum.ts'

const { server, place } = useSignedIn()

/** Starts a proxy in front of the gateway that answers for the sources of functions by itself. */
async function startProxy(answerSource: (response: ServerResponse, source: string) => unknown) {
  const proxy = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const body = await text(request)
    const { authorization = '', accept = '' } = headers
    const answer = await fetch(`${server.baseUrl}${url}`, {
      method,
      headers: { authorization, accept, 'content-type': 'application/json' },
      ...(method === 'POST' && { body }),
    })
    if (method === 'POST') response.writeHead(answer.status).end(await answer.text())
    else await answerSource(response, await answer.text())
  })
  onTestFinished(() => void proxy.close())
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

const save = (sourceCode: string) =>
  server.graphql('mutation ($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }', {
    input: { name: 'f', sourceCode },
  })
const readHashes = async () =>
  (JSON.parse(await place.read('rostrum.lock')) as { functions: Record<string, string> }).functions

test('pull overwrites no file that was saved while it read the sources', async () => {
  await save('exit(1)')
  const url = await startProxy(async (response, source) => {
    await place.write('functions/_/f.js', '// my own work')
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(source)
  })
  const pulled = await place.runHere(['pull', '--url', url])
  expect(pulled).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('functions/_/f.js') })
  expect(await place.read('functions/_/f.js')).toBe('// my own work')
  await expect(place.read('rostrum.lock')).rejects.toThrow('ENOENT')
})

test('pull goes on if another pull wrote the same file meanwhile', async () => {
  await save('exit(2)')
  const url = await startProxy(async (response, source) => {
    await place.write('functions/_/f.js', source)
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(source)
  })
  expect(await place.runHere(['pull', '--url', url])).toMatchObject({ code: 0, stdout: 'functions/_/f.js\n' })
})

test('pull keeps what a push from the same folder wrote into the lock meanwhile', async () => {
  await save('exit(5)')
  const url = await startProxy(async (response, source) => {
    await place.write('functions/_/g.js', 'exit(6)')
    expect(await place.runHere(['push', 'g', '--yes', '--url', url])).toMatchObject({ code: 0 })
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(source)
  })
  expect(await place.run(['pull', '--url', url])).toMatchObject({ code: 0, stdout: 'functions/_/f.js\n' })
  expect(await readHashes()).toEqual({ '_/f': hash('sha256', 'exit(5)'), '_/g': hash('sha256', 'exit(6)') })
})

test('push keeps what another push from the same folder wrote into the lock meanwhile', async () => {
  let hasPushed = false
  const url = await startProxy(async (response, source) => {
    if (!hasPushed) {
      hasPushed = true
      await place.write('functions/_/g.js', 'exit(9)')
      expect(await place.runHere(['push', 'g', '--yes', '--url', url])).toMatchObject({ code: 0 })
    }
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(source)
  })
  for (const name of ['f', 'g']) await place.write(`functions/_/${name}.js`, 'exit(7)')
  expect(await place.runHere(['push', '--yes', '--url', url])).toMatchObject({ code: 0 })
  await place.write('functions/_/f.js', 'exit(8)')
  expect(await place.run(['push', '--yes', '--url', url])).toMatchObject({ code: 0 })
  expect(hasPushed).toBe(true)
  expect(await readHashes()).toEqual({ '_/f': hash('sha256', 'exit(8)'), '_/g': hash('sha256', 'exit(9)') })
})

test('pull writes no source of which a proxy lost the end', async () => {
  await save('exit(10)')
  const url = await startProxy((response, source) =>
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(source.slice(0, 4)),
  )
  const stderr = expect.stringContaining(`The source of _/f did not arrive from ${url} as it is live.`)
  expect(await place.runHere(['pull', '--url', url])).toEqual({ code: 69, stdout: '', stderr })
  await expect(place.read('functions/_/f.js')).rejects.toThrow('ENOENT')
})

test('pull writes a version that became live after the list was read', async () => {
  await save('exit(11)')
  const etag = `"${hash('sha256', 'exit(12)')}"`
  const url = await startProxy(response =>
    response.writeHead(200, { 'content-type': 'text/javascript', etag }).end('exit(12)'),
  )
  expect(await place.runHere(['pull', '--url', url])).toMatchObject({ code: 0 })
  expect(await readHashes()).toEqual({ '_/f': hash('sha256', 'exit(12)') })
})

test('pull writes no page of a proxy into a file', async () => {
  await save('exit(3)')
  const url = await startProxy(response =>
    response.setHeader('content-type', 'text/html').end('<p>Sign in</p>'),
  )
  const stderr = `What answers at ${url} is no Rostrum gateway. Check \`--url\`.\n`
  expect(await place.runHere(['pull', '--url', url])).toEqual({ code: 69, stdout: '', stderr })
  await expect(place.read('functions/_/f.js')).rejects.toThrow('ENOENT')
})

test('pull says that the gateway cannot be reached if a source breaks off', async () => {
  await save('exit(4)')
  const url = await startProxy((response, source) => {
    response.writeHead(200, { 'content-type': 'text/javascript', 'content-length': '100' }).write(source)
    setTimeout(() => response.destroy(), 100)
  })
  const stderr = expect.stringContaining(`Cannot reach the gateway at ${url}: `)
  expect(await place.runHere(['pull', '--url', url])).toEqual({ code: 69, stdout: '', stderr })
})
