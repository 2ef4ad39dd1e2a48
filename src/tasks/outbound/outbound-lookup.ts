import { lookup as resolveHost } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { type AllowList, isLoopbackAddress, isPublicAddress, OutboundRefusal } from './outbound-address.ts'

type Resolved = Awaited<ReturnType<typeof resolveAll>>

/**
 * The look-up of an outbound connection: resolves once, checks every address, and hands the checked ones to the socket, so
 * that what was checked is what is reached. A listed name may resolve to loopback only if the name says so.
 */
export function createCheckedLookup(allowList: AllowList): LookupFunction {
  const resolve = createResolver()
  return (hostname, options, callback) => {
    const isAllowed = isLocalName(hostname, allowList) ? isLoopbackAddress : isPublicAddress
    const answer = (found: Resolved): void => {
      const refused = found.find(({ address }) => !isAllowed(address))
      const [first] = found
      if (refused !== undefined) callback(refuseAddress(hostname, refused.address), '', 0)
      else if (first === undefined) callback(new OutboundRefusal(`\`${hostname}\` has no address`), '', 0)
      else if (options.all === true) callback(null, found)
      else callback(null, first.address, first.family)
    }
    void resolve(hostname).then(answer, (error: NodeJS.ErrnoException) => callback(error, '', 0))
  }
}

// What a name resolves to inside our network is the operator's to know, not the script's.
function refuseAddress(hostname: string, address: string): OutboundRefusal {
  const reason = `\`${hostname}\` resolves to an address that is not of the public internet`
  return new OutboundRefusal(reason, { hostname, address })
}

function isLocalName(hostname: string, allowList: AllowList): boolean {
  return (hostname === 'localhost' || hostname.endsWith('.localhost')) && allowList.names(hostname)
}

// The system's resolver blocks a thread for each question, and there are few: however many calls wait for a name server
// that is silent, a name is asked for once at a time. Nothing is kept beyond the answer.
function createResolver(): (hostname: string) => Promise<Resolved> {
  const asking = new Map<string, Promise<Resolved>>()
  return hostname => {
    const asked = asking.get(hostname)
    if (asked !== undefined) return asked
    const answer = resolveAll(hostname).finally(() => asking.delete(hostname))
    asking.set(hostname, answer)
    return answer
  }
}

function resolveAll(hostname: string) {
  return resolveHost(hostname, { all: true })
}
