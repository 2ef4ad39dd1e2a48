import { GatewayError } from '../gateway/gateway-error.ts'
import { ask } from '../gateway/operation.ts'
import { allows } from '../shell/session.ts'
import {
  type Hook,
  listHooks,
  listTasks,
  listTypesOfTriggers,
  listWebhooks,
  type Task,
  type Trigger,
  type Webhook,
} from './trigger-documents.ts'

/** The triggers of one kind that run a function, as far as they could be loaded. */
export interface Loaded<Item> {
  readonly items: readonly Item[]
  /** Says what is not shown; empty if nothing is missing. */
  readonly note: string
}

/** The function whose triggers are loaded. */
interface Own {
  readonly functionId: string
  readonly caseTypeCode: string | null
}

// The gateway lists up to 1,000 hooks or tasks at once, and has no list of one function. In a larger account the page
// looks through those of this many case types, some at the same time.
const maxTypes = 200
const typesAtOnce = 8

export function loadHooks(own: Own): Promise<Loaded<Hook>> {
  return load(own, async caseTypeCode => (await ask(listHooks, { caseTypeCode })).hooks)
}

export function loadTasks(own: Own): Promise<Loaded<Task>> {
  return load(own, async caseTypeCode => (await ask(listTasks, { caseTypeCode })).caseTasks)
}

export function loadWebhooks(own: Own): Promise<Loaded<Webhook>> {
  return load(own, async () => (await ask(listWebhooks, {})).webhooks)
}

type Read<Item> = (caseTypeCode: string | null) => Promise<readonly Item[]>

async function load<Item extends Trigger>(own: Own, read: Read<Item>): Promise<Loaded<Item>> {
  const readOwn: Read<Item> = async code =>
    (await read(code)).filter(({ function: { id } }) => id === own.functionId)
  try {
    return { items: await readOwn(null), note: '' }
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'BAD_USER_INPUT') throw error
    return loadByType(own, readOwn)
  }
}

async function loadByType<Item>({ caseTypeCode }: Own, readOwn: Read<Item>): Promise<Loaded<Item>> {
  const all = allows('cases:read') ? (await ask(listTypesOfTriggers, {})).caseTypes : []
  const own = caseTypeCode === null ? [] : [caseTypeCode]
  const codes = [...new Set([...own, ...all.map(({ code }) => code)])]
  const items: Item[] = []
  for (let start = 0; start < Math.min(codes.length, maxTypes); start += typesAtOnce)
    items.push(...(await Promise.all(codes.slice(start, start + typesAtOnce).map(readOwn))).flat())
  return { items, note: describeMissing(codes.length, caseTypeCode) }
}

function describeMissing(types: number, caseTypeCode: string | null): string {
  const tooMany = 'The account has too many to list all.'
  if (types > maxTypes) return `${tooMany} Only those of ${maxTypes} case types are shown.`
  if (allows('cases:read')) return ''
  const shown =
    caseTypeCode === null ? 'None is shown' : `Only those of the case type ${caseTypeCode} are shown`
  return `${tooMany} ${shown}: your token lacks the scope cases:read, which the others need.`
}
