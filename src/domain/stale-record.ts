import { RostrumError } from '../errors.ts'

interface FoundVersion {
  readonly id: number
  /** The current version of the record. */
  readonly version: number
  /** The versions that the caller allows. The current one is not among them. */
  readonly ifVersions: readonly number[] | null
}

/** The error for a record whose version does not meet `If-Match` or `ifVersions`. `what` is the kind of the record. */
export function staleRecord(what: string, { id, version, ifVersions }: FoundVersion): RostrumError {
  const message =
    ifVersions?.length === 0
      ? describeNoVersion(`${what} \`${id}\``, version)
      : `${capitalize(what)} \`${id}\` has changed since it was read: its version is now \`${version}\`. Read it again.`
  return new RostrumError('PRECONDITION_FAILED', message, { reason: 'VERSION', facts: { version } })
}

// `If-Match` with only weak or malformed tags gives an empty list too. To read the record again would not help.
function describeNoVersion(record: string, version: number): string {
  const rest = `over REST \`If-Match\` takes its \`ETag\`, such as \`"${version}"\`, in quotes and without \`W/\``
  return `The condition names no version of ${record}: ${rest}; in GraphQL \`ifVersions\` takes at least one version.`
}

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
