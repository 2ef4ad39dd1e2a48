import { type AttackStage, post, postMany } from './send.ts'

const attackType = 'attack'
const save = 'mutation($input: SaveCaseInput!) { saveCase(input: $input) { case { id } } }'
const dryRun = 'mutation($input: SaveCaseInput!) { saveCase(input: $input) { saved changedFields patch } }'
const saveFunction = `mutation($source: String!) {
  saveFunction(input: {name: "change", sourceCode: $source}) { id }
  saveCaseTask(input: {caseTypeCode: "${attackType}", name: "change", functionId: 1}) { id } }`

// Texts, since the values would take longer to write than the attack lasts.
const keys = (count: number, value: number) =>
  `{${Array.from({ length: count }, (_, index) => `"k${index.toString(36)}":${value}`).join()}}`
const list = (count: number, item: string) => `[${Array.from({ length: count }, () => item).join()}]`

/** Data of about 1 MiB, and as many values as they can have. */
const largeData = {
  '10,000 fields': keys(10_000, 1).replaceAll(':1', `:${list(40, '1')}`),
  '95,000 keys': `{"a":${keys(95_000, 1)}}`,
  '340,000 lists': `{"a":${list(340_000, '[]')}}`,
  '130,000 objects': `{"a":${list(130_000, '{"a":0}')}}`,
}

const changeAll = `const change = value => typeof value !== 'object' ? value + 1
  : Array.isArray(value) ? value.map(change)
  : Object.fromEntries(Object.entries(value).map(([key, part]) => [key, change(part)]))
  exit(change(payload))`

async function prepare(stage: AttackStage): Promise<void> {
  await post(stage, {}, { body: { query: saveFunction, variables: { source: changeAll } } })
  for (const data of Object.values(largeData)) {
    const input = `{"caseTypeCode":"${attackType}","data":${data}}`
    await post(stage, {}, { body: `{"query":"${save}","variables":{"input":${input}}}` })
  }
}

const caseIds = Object.keys(largeData).map((_, index) => index + 1)

/** What one caller can do with cases of many values, by short requests. */
export const caseAttacks = {
  'ten dry runs at once on cases of many values': async (stage: AttackStage) => {
    await prepare(stage)
    const outcomes = []
    for (const id of caseIds) {
      const input = { id, data: { z: 1 }, mode: 'MERGE', dryRun: true }
      outcomes.push(await postMany(stage, 10, () => ({ body: { query: dryRun, variables: { input } } })))
    }
    return outcomes
  },

  'ten tasks at once on cases of many values': async (stage: AttackStage) => {
    await prepare(stage)
    const outcomes = []
    // The document of 340,000 lists takes some 700 MB here, so it is left to the dry runs.
    for (const id of caseIds.filter(id => id !== 3)) {
      const path = `/api/1/case/${id}/task/change`
      outcomes.push(await postMany(stage, 10, () => ({ path, body: { dry_run: true } })))
    }
    return outcomes
  },
}
