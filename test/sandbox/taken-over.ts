import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { readConfig } from '../../src/config.ts'
import { sandboxCommand } from '../../src/scripts/launch/sandbox-command.ts'
import { type Attempt, verdictsOf } from './attempts.ts'

const attacker = readFileSync(fileURLToPath(new URL('./attacker.js', import.meta.url)), 'utf8')
const boot = fileURLToPath(new URL('../../src/sandbox/boot.mjs', import.meta.url))

export type Facts = Readonly<Record<string, string | number>>
export type Verdicts = ReadonlyMap<string, readonly [verdict: string, sample: string]>

const command = sandboxCommand({ limits: readConfig({}).runLimits, isolation: 'run' }, false)
const nodeAt = command.args.indexOf(process.execPath)

/** The command prefix that makes the kernel confine a sandbox, if this system has one. */
export const guard = [command.file, ...command.args.slice(0, nodeAt + 1)]

/**
 * Tries the attempts in place of the sandbox's modules, in a process that is started and restricted in the same way.
 */
export function attackFromInside(attempts: readonly Attempt[], facts: Facts): Promise<Verdicts> {
  const { main, ...rest } = JSON.parse(command.firstLine)
  const firstLine = JSON.stringify({ ...rest, main, sources: { [main]: sealed(attempts, facts) } })
  return attack([command.file, ...command.args], `${firstLine}\n`)
}

/** Tries them with Node's flags as the only protection, without `boot.mjs` and without the kernel's confinement. */
export function attackBehindFlags(attempts: readonly Attempt[], facts: Facts): Promise<Verdicts> {
  const flags = command.args.slice(nodeAt + 1, command.args.indexOf(boot))
  const code = ['--input-type=module', '--eval', sealed(attempts, facts)]
  return attack([process.execPath, ...flags, ...code], '')
}

/** Tries them with the kernel's confinement as the only protection, in a plain Node process. */
export function attackBehindKernel(attempts: readonly Attempt[], facts: Facts): Promise<Verdicts> {
  return attack([...guard, '--input-type=module', '--eval', sealed(attempts, facts)], '')
}

/** The attempts that did not fail as expected, with their results. */
export function unexpected(verdicts: Verdicts, attempts: readonly Attempt[]): string[] {
  return attempts.flatMap(attempt => {
    const [name] = attempt
    const [verdict, sample] = verdicts.get(name) ?? ['no answer', '']
    return verdictsOf(attempt).includes(verdict) ? [] : [`${name}: ${verdict} ${sample}`]
  })
}

function sealed(attempts: readonly Attempt[], facts: Facts): string {
  return attacker.replace('ATTACK_OF_THE_TEST', () => JSON.stringify({ attempts, facts }))
}

async function attack([file = '', ...args]: string[], input: string): Promise<Verdicts> {
  const child = spawn(file, args, { env: command.env, stdio: ['pipe', 'pipe', 'inherit'] })
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000)
  child.stdin.write(input)
  const written = await text(child.stdout)
  clearTimeout(timer)
  const lines = written.split('\n').filter(line => line !== '')
  return new Map(
    lines.map(line => {
      const [name, verdict, sample] = JSON.parse(line) as [string, string, string]
      return [name, [verdict, sample]]
    }),
  )
}
