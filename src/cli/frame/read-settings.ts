import { type Config, type Environment, readConfig } from '../../config.ts'
import { StartError } from '../../errors.ts'
import { wrongUse } from './cli-error.ts'

/** Reads settings. Throws the error of the command line for a wrong one. */
export function readSettings(environment: Environment): Config {
  try {
    return readConfig(environment)
  } catch (error) {
    return asWrongUse(error)
  }
}

/** Throws the error of the command line for a `StartError`, and any other error as it is. */
export function asWrongUse(error: unknown): never {
  throw error instanceof StartError ? wrongUse(error.message) : error
}
