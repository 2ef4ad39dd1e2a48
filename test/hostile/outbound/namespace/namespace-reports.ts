import type { SeenRequest } from '../hosts/canaries.ts'

/** What became of a script, and what was seen around it meanwhile. */
export interface Report {
  readonly group: 'unlisted' | 'listed' | 'corpus' | 'scenario' | 'log'
  /** Of its group; of `log`, all that the gateway has written. */
  readonly name: string
  readonly outcome: string
  /** What the script ended with: the result or the message of a failure. */
  readonly said: unknown
  readonly ms: number
  /** Addresses and ports that were connected to. */
  readonly connections: readonly string[]
  readonly requests: readonly SeenRequest[]
  /** Names that the name server was asked for. */
  readonly asked: readonly string[]
}
