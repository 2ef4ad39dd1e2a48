import ipaddr from 'ipaddr.js'

const globalUnicast = ipaddr.IPv6.parse('2000::')
const maxUrlLength = 8 * 2 ** 10

// Ends the message of a refusal that the operator can lift by a setting.
const askOperator = 'Ask the operator to add it to `ROSTRUM_GRAPHQL_HOSTS`.'

/** One entry of the allow-list: the host as `new URL` writes it, and its port if the entry names one. */
interface AllowedHost {
  readonly host: string
  readonly port: number | null
}

/** A refused call. The message names the rule, for the script; the facts are for the operator's log. */
export class OutboundRefusal extends Error {
  override readonly name = 'OutboundRefusal'
  readonly facts: Readonly<Record<string, string>> | null

  constructor(message: string, facts: Readonly<Record<string, string>> | null = null) {
    super(message)
    this.facts = facts
  }
}

/**
 * Creates the allow-list of `graphql(…, url)`. An entry `host` allows https on port 443; `host:port` allows that port
 * with https or http. A host that is not listed is never contacted, whatever address it has.
 */
export function createAllowList(entries: readonly string[]) {
  const allowed = entries.map(readEntry)
  return {
    /** True if an entry names the host. Pass the host as `new URL` writes it. */
    names: (host: string) => allowed.some(entry => entry.host === host),
    /** Returns the checked destination of a call. Throws an `OutboundRefusal` that names the broken rule. */
    check(text: string): URL {
      const url = readUrl(text)
      const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
      const ofHost = allowed.filter(entry => entry.host === url.hostname)
      if (ofHost.length === 0) {
        throw new OutboundRefusal(
          `\`${url.hostname}\` is not on the list of hosts that scripts may reach. ${askOperator}`,
        )
      }
      const isListed = ofHost.some(entry => port === (entry.port ?? 443))
      if (!isListed)
        throw new OutboundRefusal(
          `port ${port} of \`${url.hostname}\` is not on the list of hosts that scripts may reach. ${askOperator}`,
        )
      const mayBePlain = ofHost.some(entry => entry.port === port)
      if (url.protocol === 'http:' && !mayBePlain) {
        throw new OutboundRefusal(
          'only `https:` is allowed for a host that is listed without a port. Use it, or ask the operator to list ' +
            'the port in `ROSTRUM_GRAPHQL_HOSTS`.',
        )
      }
      return url
    },
  }
}

export type AllowList = ReturnType<typeof createAllowList>

function readEntry(entry: string): AllowedHost {
  const url = new URL(`http://${entry}`)
  // The parsed URL leaves out port 80.
  const [, port] = /:(\d+)$/.exec(entry) ?? []
  return { host: url.hostname, port: port === undefined ? null : Number(port) }
}

function readUrl(text: string): URL {
  if (text.length > maxUrlLength)
    throw new OutboundRefusal(`the url is longer than ${maxUrlLength} characters`)
  const url = URL.parse(text)
  if (url === null) throw new OutboundRefusal('the url is not valid')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new OutboundRefusal(`only \`https:\` urls are allowed, not \`${url.protocol}\``)
  }
  if (url.username !== '' || url.password !== '')
    throw new OutboundRefusal('the url must not contain a user or a password')
  return url
}

/**
 * True only for public addresses. False for loopback, private, link-local, unique-local, multicast, shared, reserved
 * and unspecified addresses, and for IPv6 addresses that contain such an IPv4 address (mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  // True for an IPv4-compatible address such as `::8.8.8.8`. These are obsolete, and parsers read them differently.
  const isMixed = address.includes(':') && address.includes('.') && !/^::ffff:/i.test(address)
  if (isMixed || !ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  // Only 2000::/3 is assigned as global unicast in IPv6.
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(globalUnicast, 3)) return false
  return parsed.range() === 'unicast'
}

/** True for a loopback address, IPv4 or IPv6. */
export function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
}
