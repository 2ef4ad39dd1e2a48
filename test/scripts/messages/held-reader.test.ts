import { spawnSync } from 'node:child_process'
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { HeldLines, HeldReader, openForSandbox } from '../../../src/scripts/launch/held-lines.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'

let lines: HeldLines
let reader: HeldReader

beforeEach(() => {
  lines = new HeldLines(1)
  reader = new HeldReader(lines.take())
})

afterEach(() => {
  lines.release(reader.pipe ?? 0)
  lines.close()
})

function hold(number: number, text = `line ${number}`): void {
  writeSync(reader.pipe ?? 0, `${number} ${text}\n`)
}

test('a line that was taken from the pipe is not received again', () => {
  hold(1)
  expect(reader.take()).toEqual(['line 1'])
  expect(reader.receive()).toBe(false)
  expect(reader.receive()).toBe(true)
})

test.each(['\u2028', '\u2029', '\u0085', '\r', '\u0000'])('a line may have the character %j', character => {
  hold(1, `a${character}b`)
  hold(2)
  expect(reader.take()).toEqual([`a${character}b`, 'line 2'])
})

test('a line that was taken from the pipe is not received later either', () => {
  hold(1)
  reader.take()
  expect(reader.take()).toEqual([])
  expect(reader.receive()).toBe(false)
})

test('a line that was received is not taken', () => {
  hold(1)
  hold(2)
  reader.receive()
  expect(reader.take()).toEqual(['line 2'])
})

test('a line waits for those before it, which are still in the output', () => {
  hold(3)
  expect(reader.take()).toEqual([])
  reader.receive()
  expect(reader.take()).toEqual([])
  reader.receive()
  expect(reader.take()).toEqual(['line 3'])
})

test('a line that came in the output meanwhile is not taken later', () => {
  hold(2)
  expect(reader.take()).toEqual([])
  reader.receive()
  reader.receive()
  expect(reader.take()).toEqual([])
})

test('of a dead sandbox, all are taken', () => {
  hold(3)
  hold(5)
  expect(reader.take()).toEqual([])
  expect(reader.takeAll()).toEqual(['line 3', 'line 5'])
})

test('a compromised sandbox that numbers its lines far ahead fills no memory', () => {
  for (let i = 0; i < 40; i++) {
    hold(1_000_000 + i, 'x'.repeat(30_000))
    expect(reader.take()).toEqual([])
  }
  expect(reader.takeAll().join('').length).toBeLessThanOrEqual(64 * 1024)
})

test('a compromised sandbox cannot make the gateway wait for a line', () => {
  const pipe = reader.pipe ?? 0
  const flagsOf = (descriptor: number | null) => {
    const [, flags = ''] =
      /flags:\s*(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')) ?? []
    return Number.parseInt(flags, 8)
  }
  const attack = `const { constructor: Socket } = process.stdin
    process.exitCode = new Socket({ fd: 3, readable: false, writable: true })._handle.setBlocking(true)`
  const blocks = (descriptor: number | null) => (flagsOf(descriptor) & constants.O_NONBLOCK) === 0
  openForSandbox(pipe, own => {
    expect([blocks(pipe), blocks(own)]).toEqual([false, false])
    const { status } = spawnSync(process.execPath, ['-e', attack], {
      stdio: ['pipe', 'ignore', 'ignore', own],
    })
    expect([status, blocks(own), blocks(pipe)]).toEqual([0, true, false])
  })
  expect(reader.take()).toEqual([])
})

test('the gateway keeps neither what it opened for a sandbox nor a pipe that comes back after the end', () => {
  const isOpen = (descriptor: number) => {
    try {
      return fstatSync(descriptor).isFIFO()
    } catch {
      return false
    }
  }
  const pipe = reader.pipe ?? 0
  const own = openForSandbox(pipe, given => given) ?? pipe
  expect([isOpen(own), isOpen(pipe)]).toEqual([false, true])
  lines.close()
  expect(isOpen(pipe)).toBe(true)
  lines.release(pipe)
  expect(isOpen(pipe)).toBe(false)
})

// A process of a compromised sandbox may outlive it and still have its pipe.
test('no other sandbox gets the pipe of one that is gone', () => {
  const pipe = reader.pipe ?? 0
  const { ino } = fstatSync(pipe)
  const kept = openSync(`/proc/self/fd/${pipe}`, constants.O_RDWR)
  hold(1)
  lines.release(pipe)
  reader = new HeldReader(lines.take())
  const next = fstatSync(reader.pipe ?? 0)
  expect([next.isFIFO(), next.ino === ino, reader.take()]).toEqual([true, false, []])
  closeSync(kept)
})

const crowdedGateway = `
  import { openSync } from 'node:fs'
  const { HeldLines } = await import(process.argv[1])
  const lines = new HeldLines(1)
  lines.take()
  try {
    for (;;) openSync('/dev/null')
  } catch {}
  console.log(lines.take())`

test('a gateway without a free descriptor goes on without a pipe, and leaves no folder', () => {
  const folder = makeTempFolder()
  onTestFinished(folder.remove)
  const limited = ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath]
  const module = new URL('../../../src/scripts/launch/held-lines.ts', import.meta.url).href
  const { stdout } = spawnSync('sh', [...limited, '--input-type=module', '-e', crowdedGateway, module], {
    env: { ...process.env, TMPDIR: folder.path },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  })
  expect([stdout, readdirSync(folder.path)]).toEqual(['null\n', []])
})
