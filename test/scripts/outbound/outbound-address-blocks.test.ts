import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { expect, test } from 'vitest'
import { isPublicAddress } from '../../../src/scripts/outbound/outbound-address.ts'

// The special-purpose address blocks (RFC 6890 and its updates) that do not belong to public hosts.
const v4Blocks = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
const v6Blocks = [
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/32',
  '2001:2::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]
const runs = { numRuns: 500 }

function within(block: string): fc.Arbitrary<number[]> {
  const [network, bits] = ipaddr.parseCIDR(block)
  const bytes = network.toByteArray()
  return fc.uint8Array({ minLength: bytes.length, maxLength: bytes.length }).map(random =>
    bytes.map((byte, at) => {
      const fixed = Math.min(8, Math.max(0, bits - 8 * at))
      const free = 0xff >> fixed
      return (byte & ~free) | ((random[at] ?? 0) & free)
    }),
  )
}

const hex = (bytes: readonly number[]) =>
  Array.from({ length: bytes.length / 2 }, (_, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  )

const spellingsV6 = (bytes: number[]): string[] => {
  const full = hex(bytes)
  const short = ipaddr.fromByteArray(bytes).toString()
  const padded = full.map(part => part.padStart(4, '0')).join(':')
  return [
    short,
    short.toUpperCase(),
    full.join(':'),
    padded,
    `${full.slice(0, 6).join(':')}:${bytes.slice(12).join('.')}`,
  ]
}

test.each(v4Blocks)('nothing in %s is public, bare, mapped, compatible, translated or in NAT64', block => {
  fc.assert(
    fc.property(within(block), bytes => {
      const dotted = bytes.join('.')
      const [high = '', low = ''] = hex(bytes)
      const carried = ['::ffff:', '::FFFF:', '0:0:0:0:0:ffff:', '::', '::ffff:0:', '64:ff9b::', '64:ff9b:1::']
      const wrapped = carried.flatMap(prefix => [`${prefix}${dotted}`, `${prefix}${high}:${low}`])
      const found = [dotted, ...wrapped, `2002:${high}:${low}::1`].filter(isPublicAddress)
      expect(found).toEqual([])
    }),
    runs,
  )
})

test.each(v6Blocks)('nothing in %s is public, however it is written', block => {
  fc.assert(
    fc.property(within(block), bytes => {
      expect(spellingsV6(bytes).filter(isPublicAddress)).toEqual([])
    }),
    runs,
  )
})

test('nothing outside 2000::/3 is public except mapped IPv4', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), random => {
      const bytes = [...random]
      if (((bytes[0] ?? 0) & 0xe0) === 0x20) return
      expect(spellingsV6(bytes).filter(isPublicAddress)).toEqual([])
    }),
    runs,
  )
})

test('no text that is not an address is public', () => {
  const letters = fc.constantFrom(...'0123456789abcdefxX.:%/[] \n')
  fc.assert(
    fc.property(fc.string({ unit: letters, maxLength: 24 }), text => {
      if (isPublicAddress(text)) expect(ipaddr.parse(text).toNormalizedString()).toMatch(/^[\d.]+$|^[23]/)
    }),
    { numRuns: 5_000 },
  )
})
