// A customer of its own process: sends every second script of the corpus, two at a time, and prints how many and how
// they ended. `HOSTILE=all` sends every script. Arguments: base URL, token.

import { sendRequest } from '../../server/clients/send-request.ts'
import type { ExecutionBody } from '../../server/clients/wire-shapes.ts'
import { isWhole } from '../whole-sweeps.ts'
import { type CorpusLine, evaluateFields, fillPlaceholders, readCorpusLines } from './corpus-lines.ts'

const [baseUrl = '', token = ''] = process.argv.slice(2)
// Ports and ids of nobody: what these scripts reach for is checked elsewhere.
const names = ['CANARY_PORT', 'GATEWAY_PORT', 'ID_OF_ACCOUNT_A', 'ID_OF_ACCOUNT_B']
const placeholders = { ACCOUNT_B: 'beta', ...Object.fromEntries(names.map(name => [name, '9'])) }

const outcomes: Record<string, number> = {}
const waiting = readCorpusLines('script').filter((_, index) => index % 2 === 0 || isWhole)

async function run({ id, input }: CorpusLine): Promise<void> {
  for (const step of input.sequence ?? [input]) {
    const body = { name: id, inputDocument: '{}', options: '{}' }
    const filled = evaluateFields(fillPlaceholders({ ...step }, placeholders))
    const url = `${baseUrl}/api/1/endpoint/execute`
    const answer = await sendRequest<ExecutionBody>({
      url,
      method: 'POST',
      token,
      body: { ...body, ...filled },
    })
    const execution = answer.body?.task_execution
    const word =
      execution === undefined ? String(answer.status) : (execution.error?.code ?? execution.outcome)
    outcomes[word] = (outcomes[word] ?? 0) + 1
  }
}

async function runInTurn(): Promise<void> {
  for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) await run(line)
}

await Promise.all([runInTurn(), runInTurn()])
process.stdout.write(JSON.stringify(outcomes))
