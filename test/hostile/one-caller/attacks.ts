import { caseAttacks } from './case-attacks.ts'
import { connectionAttacks } from './connection-attacks.ts'
import { loopAttacks } from './loop-attacks.ts'
import { memoryAttacks } from './memory-attacks.ts'
import { queueAttacks } from './queue-attacks.ts'
import type { AttackStage } from './send.ts'

type Attack = (stage: AttackStage) => Promise<unknown>

/** Each attack of one caller by its name: to add one, add it to one of the five tables. */
export const attacks = {
  ...memoryAttacks,
  ...loopAttacks,
  ...connectionAttacks,
  ...queueAttacks,
  ...caseAttacks,
} satisfies Record<string, Attack>

export type AttackName = keyof typeof attacks

/** The names of each table, for a gateway each. */
export const attackNames = Object.entries({
  memory: memoryAttacks,
  'event loop': loopAttacks,
  connections: connectionAttacks,
  queue: queueAttacks,
  cases: caseAttacks,
}).map(([aim, table]) => ({ aim, names: Object.keys(table) as AttackName[] }))

export function isAttack(name: string): name is AttackName {
  return name in attacks
}
