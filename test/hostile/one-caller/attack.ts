// An attacker of its own process: sends the attack that is named. Arguments: its name, an `AttackStage` as JSON. Prints
// what it was answered.

import { attacks, isAttack } from './attacks.ts'

const [name = '', stage = '{}'] = process.argv.slice(2)
if (!isAttack(name)) throw new Error(`There is no attack \`${name}\``)
process.stdout.write(JSON.stringify((await attacks[name](JSON.parse(stage))) ?? null))
process.exit()
