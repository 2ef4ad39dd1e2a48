import { lookup as resolveHost } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { type AllowList, isLoopbackAddress, isPublicAddress, OutboundRefusal } from './outbound-address.ts'

type Resolved = Awaited<ReturnType<typeof resolveAll>>

/**
 * Creates the look-up for outbound connections. It resolves the name once, checks every address and passes only these
 * to the socket, so that no unchecked address is contacted. Only a listed `localhost` name may resolve to loopback.
 */
export function createCheckedLookup(allowList: AllowList): LookupFunction {
  const resolve = createResolver()
  return (hostname, options, callback) => {
    const isAllowed = isLocalName(hostname, allowList) ? isLoopbackAddress : isPublicAddress
    const answer = (found: Resolved): void => {
      const refused = found.find(({ address }) => !isAllowed(address))
      const [first] = found
      if (refused !== undefined) callback(addressRefused(hostname, refused.address), '', 0)
      else if (first === undefined) callback(new OutboundRefusal(`\`${hostname}\` has no address`), '', 0)
      else if (options.all === true) callback(null, found)
      else callback(null, first.address, first.family)
    }
    void resolve(hostname).then(answer, (error: NodeJS.ErrnoException) => callback(error, '', 0))
  }
}

// Returns the refusal of an address. The script does not see the address, which may be internal; the operator's log has
// it.
function addressRefused(hostname: string, address: string): OutboundRefusal {
  const reason = `\`${hostname}\` resolves to an address that is not public`
  return new OutboundRefusal(reason, { hostname, address })
}

function isLocalName(hostname: string, allowList: AllowList): boolean {
  return (hostname === 'localhost' || hostname.endsWith('.localhost')) && allowList.names(hostname)
}

// Creates a resolver that shares concurrent look-ups of the same name, because the system's resolver blocks one of few
// threads for each, even if the name server does not answer. It caches no answers.
function createResolver(): (hostname: string) => Promise<Resolved> {
  const pending = new Map<string, Promise<Resolved>>()
  return hostname => {
    const known = pending.get(hostname)
    if (known !== undefined) return known
    const answer = resolveAll(hostname).finally(() => pending.delete(hostname))
    pending.set(hostname, answer)
    return answer
  }
}

function resolveAll(hostname: string) {
  return resolveHost(hostname, { all: true })
}
