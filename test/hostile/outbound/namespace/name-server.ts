import { createSocket } from 'node:dgram'
import { setTimeout as sleep } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'

/** What a name has: addresses, and `cname <name>`; or a way to answer that no name server should have. */
export type ZoneEntry = readonly string[] | 'silent' | 'slow' | 'failing' | 'garbage' | 'no such name'

/** By the name, and by how often it was asked for before. */
export type Zone = Readonly<Record<string, ZoneEntry | ((asked: number) => ZoneEntry)>>

export interface NameServer {
  /** The names asked for so far, one for each question. */
  readonly asked: readonly string[]
  close(): void
}

const types = { A: 1, CNAME: 5, AAAA: 28 }
const slowMs = 700

/** A name server on port 53 whose zone is the test's (RFC 1035); every answer is to be forgotten at once. */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const asked: string[] = []
  const lookups = new Map<string, number>()
  const socket = createSocket('udp4')

  function entryOf(name: string, type: number): ZoneEntry {
    const entry = zone[name] ?? 'no such name'
    if (typeof entry !== 'function') return entry
    // A resolver asks for both families, each with its own question.
    const key = `${type} ${name}`
    const before = lookups.get(key) ?? 0
    lookups.set(key, before + 1)
    return entry(before)
  }

  socket.on('message', async (query, { address, port }) => {
    const { name, end, type } = readQuestion(query)
    asked.push(name)
    const entry = entryOf(name, type)
    if (entry === 'silent') return
    if (entry === 'slow') await sleep(slowMs)
    const reply =
      entry === 'garbage' ? Buffer.from('garbage') : answer({ query, end, name, type, entry, zone })
    socket.send(reply, port, address)
  })
  await new Promise<void>(resolve => socket.bind(53, '127.0.0.1', resolve))
  return { asked, close: () => void socket.close() }
}

function readQuestion(query: Buffer): { name: string; end: number; type: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5, type: query.readUInt16BE(at + 1) }
}

interface Question {
  readonly query: Buffer
  /** Where the question ends. */
  readonly end: number
  readonly name: string
  readonly type: number
  readonly entry: ZoneEntry
  readonly zone: Zone
}

function answer({ query, end, name, type, entry, zone }: Question): Buffer {
  const head = Buffer.alloc(12)
  query.copy(head, 0, 0, 2)
  const code = entry === 'failing' ? 2 : entry === 'no such name' ? 3 : 0
  head.writeUInt16BE(0x8180 | code, 2)
  head.writeUInt16BE(1, 4)
  const own = entry === 'slow' ? ['93.184.216.34'] : entry
  const records = typeof own === 'string' ? [] : recordsOf({ name, entry: own, type, zone, left: 8 })
  head.writeUInt16BE(records.length, 6)
  return Buffer.concat([head, query.subarray(12, end), ...records])
}

interface Chain {
  readonly name: string
  readonly entry: readonly string[]
  readonly type: number
  readonly zone: Zone
  /** How many more names of a chain are followed. */
  readonly left: number
}

function recordsOf({ name, entry, type, zone, left }: Chain): Buffer[] {
  return entry.flatMap(value => {
    const [, target] = /^cname (.+)$/.exec(value) ?? []
    if (target !== undefined) {
      const next = zone[target]
      const rest =
        Array.isArray(next) && left > 0
          ? recordsOf({ name: target, entry: next, type, zone, left: left - 1 })
          : []
      return [record(name, types.CNAME, encodeName(target)), ...rest]
    }
    const isV6 = value.includes(':')
    if (type !== (isV6 ? types.AAAA : types.A)) return []
    return [record(name, type, Buffer.from(ipaddr.parse(value).toByteArray()))]
  })
}

// Class IN, to be kept for no time at all.
function record(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([encodeName(name), fixed, data])
}

function encodeName(name: string): Buffer {
  const labels = name
    .split('.')
    .map(label => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.from([0])])
}
