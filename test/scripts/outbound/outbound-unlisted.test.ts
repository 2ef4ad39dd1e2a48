import { lookup } from 'node:dns/promises'
import { hostname } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ScriptLogShare } from '../../../src/fairness/script-log-share.ts'
import { createOutbound, type Outbound } from '../../../src/scripts/outbound/outbound.ts'
import { type Canary, startCanary } from '../pool/start-canary.ts'
import { silentBoundLog } from '../run/start-tasks.ts'

const scriptLogShare = new ScriptLogShare({ log: silentBoundLog, maxBytes: 0 })

const maxBytes = 1_000
// If the machine's own name resolves, it resolves to loopback or to a private address.
const ownAddress = await lookup(hostname()).catch(() => null)
const ownName = hostname().toLowerCase()

let canary: Canary
let outbound: Outbound

beforeAll(async () => {
  canary = await startCanary()
  // The port next to the canary's is listed; the canary's is not.
  outbound = createOutbound({
    scriptLogShare,
    hosts: ['public.test', `127.0.0.1:${canary.port - 1}`],
    maxBytes,
  })
})
afterAll(async () => {
  outbound.close()
  canary.close()
})

function refusal(url: string, by = outbound): Promise<string> {
  return by
    .post({ accountCode: 'a', query: '{ x }', variables: '{}', url, signal: AbortSignal.timeout(60_000) })
    .then(
      text => `resolved: ${text}`,
      (error: Error) => error.message,
    )
}

describe('nothing that is not listed is connected to', () => {
  // `<port>` is replaced by the canary's port.
  const spellings = [
    'http://127.0.0.1:<port>/',
    'http://localhost:<port>/',
    'http://LOCALHOST:<port>/',
    'http://localhost.:<port>/',
    'http://0.0.0.0:<port>/',
    'http://0:<port>/',
    'http://127.1:<port>/',
    'http://127.0.1:<port>/',
    'http://127.0.0.1.:<port>/',
    'http://2130706433:<port>/',
    'http://0x7f000001:<port>/',
    'http://0x7f.1:<port>/',
    'http://0177.0.0.1:<port>/',
    'http://017700000001:<port>/',
    'http://%31%32%37.0.0.1:<port>/',
    'http://①②⑦.⓪.⓪.①:<port>/',
    'http://１２７.０.０.１:<port>/',
    'http://127。0。0。1:<port>/',
    'http://[::]:<port>/',
    'http://[::1]:<port>/',
    'http://[0:0:0:0:0:0:0:1]:<port>/',
    'http://[::ffff:127.0.0.1]:<port>/',
    'http://[::ffff:7f00:1]:<port>/',
    'http://[::127.0.0.1]:<port>/',
    'http://[64:ff9b::7f00:1]:<port>/',
    'http://[2002:7f00:1::]:<port>/',
    'http://127.0.0.1:<port>\\@public.test/',
    'http://public.test@127.0.0.1:<port>/',
    'http://public.test:80@127.0.0.1:<port>/',
    'http://public.test#@127.0.0.1:<port>/',
    'http://127.0.0.1:<port>#@public.test/',
    'https://127.0.0.1:<port>/',
    'http:127.0.0.1:<port>/',
    'http:\\\\127.0.0.1:<port>\\',
    '\thttp://127.0.0.1:<port>/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/latest/meta-data/',
    'http://[fe80::1]/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.0.1/',
    'http://100.64.0.1/',
    'http://public.test/',
    'http://public.test:22/',
    'https://public.test:<port>/',
    'unix:/var/run/docker.sock',
    'data:application/json,{"data":1}',
    'gopher://127.0.0.1:<port>/_INFO',
    'ftp://127.0.0.1:<port>/',
    'file:///etc/passwd',
    'javascript:1',
    'about:blank',
    '',
    '127.0.0.1:<port>',
  ]

  test.each(spellings)('%j', async spelling => {
    const message = await refusal(spelling.replaceAll('<port>', String(canary.port)))
    expect(message).toMatch(/^graphql: (`|port |only |the url )/)
    expect(canary.connections()).toBe(0)
  })

  test('not even a private address that an entry without a port seems to allow', async () => {
    const own = createOutbound({ scriptLogShare, hosts: ['127.0.0.1'], maxBytes })
    expect(await refusal(`https://127.0.0.1:${canary.port}/`, own)).toContain('port')
    expect(canary.connections()).toBe(0)
    own.close()
  })

  test.skipIf(ownAddress === null)('a listed name that resolves to this machine', async () => {
    const host = `${ownName}:${canary.port}`
    const by = createOutbound({ scriptLogShare, hosts: [host], maxBytes })
    expect(await refusal(`http://${host}/`, by)).toBe(
      `graphql: \`${ownName}\` resolves to an address that is not public`,
    )
    expect(canary.connections()).toBe(0)
    by.close()
  })

  test('a listed name that does not resolve', async () => {
    const by = createOutbound({ scriptLogShare, hosts: ['nowhere.invalid'], maxBytes })
    expect(await refusal('https://nowhere.invalid/', by)).toMatch(/could not be reached \(E\w+\)$/)
    by.close()
  })
})
