import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { ResidentMemory } from '../../../src/scripts/resources/child-resources.ts'

// Holds 40 MB more after each line of input, and says so.
const grower = `
  const held = []
  process.stdin.on('data', () => {
    held.push(Buffer.alloc(40_000_000, 1))
    process.stdout.write('grown')
  })
  process.stdout.write('started')`
const mb = 1_000_000

async function startGrower() {
  const child = spawn(process.execPath, ['-e', grower], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return {
    memory: new ResidentMemory(child.pid),
    async grow() {
      child.stdin.write('grow')
      await once(child.stdout, 'data')
    },
    stop: () => child.kill('SIGKILL'),
  }
}

test.runIf(process.platform === 'linux')(
  'memory at rest is read whenever a process is idle, and else at most every 20 ms',
  async () => {
    const { memory, grow, stop } = await startGrower()
    try {
      expect(memory.atRest).toBeNull()
      memory.noteRest(true, 1_000)
      const atFirst = memory.atRest ?? 0
      expect(atFirst).toBeGreaterThan(mb)
      await grow()
      memory.noteRest(false, 1_019)
      expect(memory.atRest).toBe(atFirst)
      memory.noteRest(true, 1_019)
      const whenIdle = memory.atRest ?? 0
      expect(whenIdle - atFirst).toBeGreaterThan(30 * mb)
      await grow()
      memory.noteRest(false, 1_038)
      expect(memory.atRest).toBe(whenIdle)
      memory.noteRest(false, 1_039)
      expect((memory.atRest ?? 0) - whenIdle).toBeGreaterThan(30 * mb)
    } finally {
      stop()
    }
  },
)
