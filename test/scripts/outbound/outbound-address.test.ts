import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { StartError } from '../../../src/errors.ts'
import {
  createAllowList,
  isPublicAddress,
  OutboundRefusal,
} from '../../../src/scripts/outbound/outbound-address.ts'

describe('a public address', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2001:4860:4860::8888',
    '2606:4700:4700::1111',
    '2a00:1450:4001:830::200e',
    '::ffff:8.8.8.8',
    '::ffff:808:808',
  ])('%s', address => {
    expect(isPublicAddress(address)).toBe(true)
  })
})

describe('not a public address', () => {
  const kinds: Record<string, string[]> = {
    unspecified: ['0.0.0.0', '0.255.255.255', '::'],
    loopback: ['127.0.0.1', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1'],
    private: ['10.0.0.0', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
    'carrier-grade NAT': ['100.64.0.0', '100.127.255.255'],
    'link-local': ['169.254.0.1', '169.254.169.254', '169.254.170.2', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
    'unique local': ['fc00::1', 'fd00:ec2::254', 'fdff:ffff::1'],
    'site-local': ['fec0::1'],
    'protocol assignment': ['192.0.0.1', '192.0.0.170'],
    documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
    benchmarking: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
    multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
    'reserved or broadcast': ['240.0.0.1', '255.255.255.255', '192.88.99.1', '100::1', '4000::1', '5f00::1'],
    mapped: ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '::FFFF:0A00:0001'],
    'compatible or translated': ['::127.0.0.1', '::7f00:1', '::808:808', '::ffff:0:127.0.0.1'],
    NAT64: ['64:ff9b::7f00:1', '64:ff9b::127.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::1'],
    '6to4': ['2002:7f00:1::', '2002:a9fe:a9fe::', '2002:808:808::'],
    Teredo: ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ORCHID: ['2001:10::1', '2001:20::1'],
    'no address': [
      '',
      'localhost',
      '127.1',
      '2130706433',
      '0x7f000001',
      '8.8.8.8 ',
      '8.8.8.8:80',
      '[::1]',
      '1',
    ],
  }

  test.each(Object.entries(kinds).flatMap(([kind, list]) => list.map(address => [kind, address] as const)))(
    '%s: %s',
    (_, address) => {
      expect(isPublicAddress(address)).toBe(false)
    },
  )
})

describe('the allow-list', () => {
  const list = createAllowList([
    'a.example',
    'b.example:8080',
    'c.example:443',
    '[::1]:9000',
    '[2606:4700:4700::1111]',
    '127.0.0.1:9001',
    'dotted.example.',
  ])

  const allowed: [url: string, href: string, port: number][] = [
    ['https://a.example/', 'https://a.example/', 443],
    ['https://a.example', 'https://a.example/', 443],
    ['https://a.example:443/x?y#z', 'https://a.example/x?y#z', 443],
    ['https://A.EXAMPLE/', 'https://a.example/', 443],
    ['https://ａ.example/', 'https://a.example/', 443],
    ['https://a%2eexample/', 'https://a.example/', 443],
    ['https://a。example/', 'https://a.example/', 443],
    ['https:a.example', 'https://a.example/', 443],
    [' https://a.exa\nmple ', 'https://a.example/', 443],
    ['https://a.example\\@evil.example', 'https://a.example/@evil.example', 443],
    ['https://a.example/\r\nX: y', 'https://a.example/X:%20y', 443],
    ['http://b.example:8080/', 'http://b.example:8080/', 8080],
    ['https://b.example:8080/', 'https://b.example:8080/', 8080],
    ['https://c.example/', 'https://c.example/', 443],
    ['http://[::1]:9000/', 'http://[::1]:9000/', 9000],
    ['http://[0:0:0:0:0:0:0:1]:9000/', 'http://[::1]:9000/', 9000],
    ['https://[2606:4700:4700:0:0:0:0:1111]/', 'https://[2606:4700:4700::1111]/', 443],
    ['http://2130706433:9001/', 'http://127.0.0.1:9001/', 9001],
    ['https://dotted.example./', 'https://dotted.example./', 443],
  ]

  test.each(allowed)('lets %j through as %s', (url, href, port) => {
    const destination = list.check(url)
    // `URL` omits the default port of https.
    expect([destination.href, Number(destination.port) || 443]).toEqual([href, port])
  })

  const unlisted = 'is not on the list of hosts'
  const refused: [url: string, reason: string][] = [
    ['https://evil.example/', `\`evil.example\` ${unlisted} that scripts may reach`],
    ['https://sub.a.example/', unlisted],
    ['https://xa.example/', unlisted],
    ['https://a.example.evil.example/', unlisted],
    ['https://a.example。evil.example/', unlisted],
    ['https://a.example./', unlisted],
    ['https://dotted.example/', unlisted],
    ['https://evil.example/?a.example', unlisted],
    ['https://evil.example#a.example', unlisted],
    ['https://evil.example\\@a.example/', unlisted],
    ['https://а.example/', unlisted],
    ['https://a.example:444/', `port 444 of \`a.example\` ${unlisted}`],
    ['http://a.example/', `port 80 of \`a.example\` ${unlisted}`],
    ['http://a.example:443/', 'only `https:` is allowed for a host that is listed without a port'],
    ['http://b.example/', 'port 80'],
    ['https://b.example/', 'port 443'],
    ['http://[::1]/', 'port 80'],
    ['http://[::ffff:127.0.0.1]:9001/', unlisted],
    ['http://localhost:9001/', unlisted],
    ['https://ann@a.example/', 'the url must not contain a user or a password'],
    ['https://:secret@a.example/', 'the url must not contain a user or a password'],
    ['https://a.example@evil.example/', 'the url must not contain a user or a password'],
    ['https://a.example:443@evil.example/', 'the url must not contain a user or a password'],
    ['https://a.example%2f@evil.example/', 'the url must not contain a user or a password'],
    ['ftp://a.example/', 'only `https:` urls are allowed, not `ftp:`'],
    ['ws://a.example/', 'not `ws:`'],
    ['file:///etc/passwd', 'not `file:`'],
    ['javascript:1', 'not `javascript:`'],
    ['blob:https://a.example/1', 'not `blob:`'],
    ['data:application/json,{}', 'not `data:`'],
    ['unix:/var/run/docker.sock', 'not `unix:`'],
    ['gopher://127.0.0.1:6379/_INFO', 'not `gopher:`'],
    ['a.example', 'the url is not valid'],
    ['//a.example', 'the url is not valid'],
    ['/graphql', 'the url is not valid'],
    ['https://', 'the url is not valid'],
    ['https://a.example:65536/', 'the url is not valid'],
    ['https://a.example%00/', 'the url is not valid'],
    ['https://a b.example/', 'the url is not valid'],
    ['http://[::1%25eth0]:9000/', 'the url is not valid'],
  ]

  test.each(refused)('refuses %j', (url, reason) => {
    expect(() => list.check(url)).toThrow(OutboundRefusal)
    expect(() => list.check(url)).toThrow(reason)
  })

  test('that is empty refuses everything', () => {
    expect(() => createAllowList([]).check('https://a.example/')).toThrow(OutboundRefusal)
  })
})

describe('an entry that is not a host stops the start with a line that names it', () => {
  test.each([
    'a b',
    'https://a.example',
    'a.example/path',
    'user@a.example',
    'a.example:x',
    '*.example',
    '::1',
  ])('%s', entry => {
    expect(() => readConfig({ ROSTRUM_GRAPHQL_HOSTS: entry })).toThrow(StartError)
    expect(() => readConfig({ ROSTRUM_GRAPHQL_HOSTS: entry })).toThrow('ROSTRUM_GRAPHQL_HOSTS')
  })

  test.each(['a.example:99999', '256.1.1.1', '[1]', '1.2.3.4.5'])('%s', entry => {
    expect(() => readConfig({ ROSTRUM_GRAPHQL_HOSTS: entry })).toThrow(StartError)
  })
})
