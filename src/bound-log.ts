import { type Level, type Logger, symbols } from 'pino'

/** The facts of a line, by their names. */
export type Facts = Readonly<Record<string, unknown>>

// Most requests and runs write fewer lines. From then on, a child costs less than all the facts in each line.
const linesWithoutChild = 3

/**
 * Writes lines to the system log that begin with the facts of a request or run; those of the line itself win. A child
 * of a pino logger does so too, but V8 treats each child as a type of its own: two of them take a fifteenth of the
 * gateway's time for a run.
 */
export class BoundLog {
  readonly #system: Logger
  readonly #facts: Facts
  #lines = 0
  #child: Logger | null = null
  #bytesOfFacts: number | null = null

  constructor(system: Logger, facts: Facts = {}) {
    this.#system = system
    this.#facts = facts
  }

  /** Returns a log whose lines have these facts too, after those of this log. */
  with(facts: Facts): BoundLog {
    return new BoundLog(this.#system, { ...this.#facts, ...facts })
  }

  isLevelEnabled(level: Level): boolean {
    return this.#system.isLevelEnabled(level)
  }

  /** The bytes of the facts of each line as JSON. Those of the system log, such as its host, are among them. */
  get bytesOfFacts(): number {
    this.#bytesOfFacts ??= Buffer.byteLength(JSON.stringify(this.#facts)) + bytesOfBindings(this.#system)
    return this.#bytesOfFacts
  }

  write(level: Level, facts: Facts, message: string): void {
    if (!this.isLevelEnabled(level)) return
    this.#lines++
    if (this.#lines <= linesWithoutChild) {
      this.#system[level]({ ...this.#facts, ...facts }, message)
      return
    }
    this.#child ??= this.#system.child(this.#facts)
    this.#child[level](facts, message)
  }

  info(facts: Facts, message: string): void {
    this.write('info', facts, message)
  }

  warn(facts: Facts, message: string): void {
    this.write('warn', facts, message)
  }

  error(facts: Facts, message: string): void {
    this.write('error', facts, message)
  }
}

// Pino writes them once, as text.
function bytesOfBindings(system: Logger): number {
  const bindings = (system as Logger & Record<symbol, unknown>)[symbols.chindingsSym]
  return Buffer.byteLength(String(bindings ?? ''))
}
