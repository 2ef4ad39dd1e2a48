import type { HostAnswer } from '../hosts/host-answer.ts'
import { innerAddresses, mixedNames, publicV4, publicV6 } from '../namespace/zone.ts'

/** A call to a listed host: what the script gets, and each connection that may be made for it. */
export interface ListedCall {
  readonly title: string
  readonly url: string
  readonly gives: Exclude<HostAnswer['gives'], 'waits'>
  readonly reaches: readonly string[]
}

const inner = (name: string) => ({
  message: `\`${name}\` resolves to an address that is not public`,
})
const unreached = (code: string) => ({ message: `the host could not be reached (${code})` })
const redirects = { message: 'redirects are not followed' }

// What a canary says of the call that reached it.
const reached = (at: string, host: string) => ({ gives: { json: { data: { at, host } } }, reaches: [at] })

const works = (title: string, url: string, at: string): ListedCall => ({
  title,
  url,
  ...reached(at, new URL(url).host),
})

const leadsInside = ([name]: readonly [string, unknown]): ListedCall => ({
  title: `${name}, which leads inside, is not connected to`,
  url: `http://${name}/`,
  gives: inner(name),
  reaches: [],
})

export const listedCalls: readonly ListedCall[] = [
  works('a name works over http, its port being listed', 'http://public.test/', `${publicV4}:80`),
  works('and in capitals', 'http://PUBLIC.Test/', `${publicV4}:80`),
  works('and with tabs and newlines in it', 'http://pub\tlic.te\nst/', `${publicV4}:80`),
  works('and on its other port', 'http://public.test:8080/', `${publicV4}:8080`),
  works('and over https, with its name checked', 'https://public.test/', `${publicV4}:443`),
  works('a name of other letters works', 'http://bücher.test/', `${publicV4}:80`),
  works('and in its own spelling', 'http://xn--bcher-kva.test/', `${publicV4}:80`),
  works('a name listed with a dot at its end works', 'http://ends-in-a-dot.test./', `${publicV4}:80`),
  works('an alias of a public name works', 'http://alias-public.test/', `${publicV4}:80`),
  works('a name that has IPv6 alone works', 'http://v6.test/', `[${publicV6}]:80`),
  works('a slow name server is waited for', 'http://slow.test/', `${publicV4}:80`),
  works('a public address works, listed as such', 'http://93.184.216.77:8080/', '93.184.216.77:8080'),
  works('and so does one of IPv6', `http://[${publicV6}]:8080/`, `[${publicV6}]:8080`),
  works('and over https, with its address checked', 'https://93.184.216.77/', '93.184.216.77:443'),
  works('a private address works, listed as such', 'http://10.0.0.7:8080/', '10.0.0.7:8080'),
  works('localhost works, listed as such', 'http://localhost:8081/', '127.0.0.1:8081'),
  works('the first answer of a name that will rebind works', 'http://rebinds.test/', `${publicV4}:80`),

  ...Object.entries(innerAddresses).map(leadsInside),
  ...Object.entries(mixedNames).map(leadsInside),
  leadsInside(['rebinds.test', null]),
  leadsInside(['rebinds-back.test', null]),
  leadsInside(['hosts-file.test', null]),
  works(
    'a name that was inside a moment ago works once it is not',
    'http://rebinds-back.test/',
    `${publicV4}:80`,
  ),

  {
    title: 'a listed private address is not another of its ports',
    url: 'http://10.0.0.7/',
    gives: { message: 'port 80 of `10.0.0.7` is not on the list' },
    reaches: [],
  },
  {
    title: 'a name that is not there',
    url: 'http://nowhere.test/',
    gives: unreached('ENOTFOUND'),
    reaches: [],
  },
  {
    title: 'a name without an address',
    url: 'http://empty.test/',
    gives: unreached('ENOTFOUND'),
    reaches: [],
  },
  {
    title: 'a name whose server fails',
    url: 'http://failing.test/',
    gives: unreached('EAI_AGAIN'),
    reaches: [],
  },
  {
    title: 'a name whose server says nothing',
    url: 'http://silent.test/',
    gives: unreached('EAI_AGAIN'),
    reaches: [],
  },
  {
    title: 'a name whose server speaks nonsense',
    url: 'http://garbage.test/',
    gives: unreached('EAI_AGAIN'),
    reaches: [],
  },
  {
    title: 'an alias of itself',
    url: 'http://alias-ring.test/',
    gives: { message: 'the host could not be reached (E' },
    reaches: [],
  },

  {
    title: 'a redirect to loopback',
    url: 'http://public.test/redirect-to-loopback',
    gives: redirects,
    reaches: [`${publicV4}:80`],
  },
  {
    title: 'a redirect to a listed host',
    url: 'http://public.test/redirect-307-other-origin',
    gives: redirects,
    reaches: [`${publicV4}:80`],
  },
  {
    title: 'a redirect to itself',
    url: 'http://public.test/redirect-same',
    gives: redirects,
    reaches: [`${publicV4}:80`],
  },
  {
    title: 'a host that speaks no TLS',
    url: 'https://public.test:8080/',
    gives: { message: 'the host could not be reached (E' },
    reaches: [`${publicV4}:8080`],
  },
  {
    title: 'a certificate of nobody we know',
    url: 'https://self-signed.test/',
    gives: unreached('UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
    reaches: [`${publicV4}:443`],
  },
  {
    title: 'a certificate of another name',
    url: 'https://wrong-name.test/',
    gives: unreached('ERR_TLS_CERT_ALTNAME_INVALID'),
    reaches: [`${publicV4}:443`],
  },
  {
    title: 'a certificate past its time',
    url: 'https://expired.test/',
    gives: unreached('CERT_HAS_EXPIRED'),
    reaches: [`${publicV4}:443`],
  },
  {
    title: 'a certificate without the address',
    url: 'https://93.184.216.78/',
    gives: unreached('ERR_TLS_CERT_ALTNAME_INVALID'),
    reaches: ['93.184.216.78:443'],
  },
  {
    title: 'this gateway itself, without a credential',
    url: 'http://127.0.0.1:4010/graphql',
    gives: { message: 'the host answered 401' },
    reaches: [],
  },
]

/** As `ROSTRUM_GRAPHQL_HOSTS` takes it: every name that is called above, and what the titles say of ports. */
export const listedHosts: readonly string[] = [
  ...new Set(
    listedCalls
      .map(({ url }) => new URL(url))
      .filter(({ hostname }) => hostname !== '10.0.0.7')
      .map(({ hostname, protocol, port }) =>
        port === '' && protocol === 'https:' ? hostname : `${hostname}:${port || 80}`,
      ),
  ),
  '10.0.0.7:8080',
  'rebinds-each-time.test:80',
]
