import type { makeEndings } from './endings.ts'
import type { makeGraphql } from './graphql.ts'
import type { makeHideSource } from './hide-source.ts'
import type { makeLog } from './log.ts'
import type { makePlatform } from './platform.ts'
import type { RealmParts } from './realm-parts.ts'

/** The settings that the host sends with a run's texts. */
export interface RealmSetup {
  /** A secret file name for the run's source, so that code made by `eval` cannot pretend to be a line of the source. */
  readonly file: string
  readonly accountCode: string
  readonly requestContext: string
  readonly reusesIsolate: boolean
  readonly compilesOnly: boolean
  readonly exitsData: boolean
}

export interface RunParts extends RealmParts {
  readonly endings: ReturnType<typeof makeEndings>
  readonly calls: ReturnType<typeof makeGraphql>
  readonly log: ReturnType<typeof makeLog>['log']
  readonly platformOf: ReturnType<typeof makePlatform>
  readonly source: ReturnType<typeof makeHideSource>
  readonly provideTemporal: (isNamed: boolean) => void
}

/**
 * Defines the realm's globals (contract, section 4, "What a script sees"), compiles the script and starts it. Runs
 * inside the isolate as text.
 */
export function makeStart(parts: RunParts) {
  const {
    language,
    errors,
    state,
    endings,
    calls,
    log,
    platformOf,
    provideTemporal,
    source: ownSource,
  } = parts
  const { create, define, shield, parse, parseText, indexOf, AsyncFunction, apply, whenSettled } = language
  const { entries } = Object
  let context = '{}'
  // Has no prototype, so that a script cannot change what the descriptor inherits.
  const noConstructor = create(null) as PropertyDescriptor
  noConstructor.value = undefined

  const constant = (name: string, value: unknown) =>
    define(globalThis, name, { value, writable: false, enumerable: true, configurable: false })
  const variable = (name: string, value: unknown) =>
    define(globalThis, name, { value, writable: true, enumerable: true, configurable: true })

  const local = {
    requestContext(): unknown {
      return parseText(context)
    },
    generateGuid(): string {
      return state.post('guid') as string
    },
  }

  const { exit, fail } = endings
  const { graphql } = calls
  const { requestContext, generateGuid } = local
  const functions = shield({ exit, fail, log, requestContext, generateGuid, graphql })

  const expose = (): void => {
    for (const [name, value] of entries(functions)) constant(name, value)
  }

  /** Starts the script. Returns the message of a syntax error, or '' if the script was started. */
  const start = (source: string, payload: string, options: string, setupText: string): string => {
    const setup: RealmSetup = parse(setupText)
    context = setup.requestContext
    state.reusesIsolate = setup.reusesIsolate
    state.exitsData = setup.exitsData

    errors.setSourceFile(setup.file)
    let script: () => Promise<unknown>
    try {
      script = new AsyncFunction(`${source}\n//# sourceURL=${setup.file}`)
    } catch (error) {
      return errors.describe(error).message
    }
    if (setup.compilesOnly) return exit(null)
    ownSource.hide(script)
    provideTemporal(indexOf(source, 'Temporal') >= 0)
    constant('Platform', platformOf(setup.accountCode))
    variable('payload', parseText(payload))
    variable('options', parseText(options))

    const running = apply(script, undefined, []) as Promise<unknown>
    // Hides `constructor`. Otherwise `then` would read `Promise.prototype.constructor`, which the script may have
    // changed.
    define(running, 'constructor', noConstructor)
    whenSettled(running, endings.doNothing, endings.endByThrown)
    return ''
  }

  return { expose, start }
}
