import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export interface Certificate {
  readonly cert: string
  readonly key: string
}

export interface Authority {
  /** Its own certificate, for clients that trust it. */
  readonly cert: string
  /** A certificate for these names and addresses; good for a day unless it is to be expired. */
  issue(names: readonly string[], isExpired?: boolean): Certificate
}

const dayMs = 86_400_000

/** An authority of the tests: X.509 certificates (RFC 5280) made here, so that no tool need be installed. */
export function makeAuthority(name: string): Authority {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer = { name, key: own.privateKey }
  const basicConstraints = sequence(objectId('551d13'), boolean, octets(sequence(boolean)))
  return {
    cert: certify({
      subject: name,
      key: own.publicKey,
      issuer,
      extension: basicConstraints,
      isExpired: false,
    }),
    issue(names, isExpired = false) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const alternatives = sequence(objectId('551d11'), octets(sequence(...names.map(alternativeName))))
      const cert = certify({
        subject: names[0] ?? '',
        key: publicKey,
        issuer,
        extension: alternatives,
        isExpired,
      })
      return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
    },
  }
}

interface Certified {
  readonly subject: string
  readonly key: KeyObject
  readonly issuer: { readonly name: string; readonly key: KeyObject }
  readonly extension: Buffer
  readonly isExpired: boolean
}

function certify({ subject, key, issuer, extension, isExpired }: Certified): string {
  const until = Date.now() + (isExpired ? -dayMs : dayMs)
  const withSha256 = sequence(objectId('2a8648ce3d040302'))
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)])
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, serial),
    withSha256,
    commonName(issuer.name),
    sequence(time(until - 2 * dayMs), time(until)),
    commonName(subject),
    key.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(extension)),
  )
  const signature = sign('sha256', body, issuer.key)
  const der = sequence(body, withSha256, tagged(0x03, Buffer.from([0]), signature))
  return `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`
}

function alternativeName(name: string): Buffer {
  const isAddress = isIP(name) !== 0
  return isAddress
    ? tagged(0x87, Buffer.from(ipaddr.parse(name).toByteArray()))
    : tagged(0x82, Buffer.from(name))
}

function commonName(name: string): Buffer {
  return sequence(tagged(0x31, sequence(objectId('550403'), tagged(0x0c, Buffer.from(name)))))
}

// UTCTime: YYMMDDHHMMSSZ.
function time(ms: number): Buffer {
  return tagged(0x17, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`))
}

const boolean = tagged(0x01, Buffer.from([0xff]))

function objectId(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'))
}

function octets(content: Buffer): Buffer {
  return tagged(0x04, content)
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts)
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
