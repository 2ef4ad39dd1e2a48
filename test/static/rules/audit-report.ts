/** What `npm audit --json` says, as far as it is read here. */
export interface AuditReport {
  readonly vulnerabilities: Readonly<Record<string, Vulnerability>>
}

interface Vulnerability {
  readonly name: string
  readonly severity: string
  /** Advisories on the package itself, and names of packages that bring theirs. */
  readonly via: readonly (string | Advisory)[]
}

interface Advisory {
  readonly url: string
  readonly title: string
  readonly severity: string
}

/** A known advisory that does not apply, with the reason; by the end of its URL. */
export type Exceptions = Readonly<Record<string, string>>

/** The advisories of high or critical severity without an exception, one line each. */
export function findUnexplained({ vulnerabilities }: AuditReport, exceptions: Exceptions): string[] {
  const lines = Object.values(vulnerabilities).flatMap(({ name, via }) =>
    via
      .filter(cause => typeof cause !== 'string')
      .filter(({ severity }) => severity === 'high' || severity === 'critical')
      .filter(({ url }) => !Object.hasOwn(exceptions, url.split('/').at(-1) ?? ''))
      .map(({ url, title, severity }) => `${name}: ${severity}: ${title} (${url})`),
  )
  return [...new Set(lines)].sort()
}

/** The report in what npm printed; null where the registry gave none, which npm also says in JSON. */
export function readReport(output: string): AuditReport | null {
  try {
    const report = JSON.parse(output) as Partial<AuditReport>
    return report.vulnerabilities === undefined ? null : { vulnerabilities: report.vulnerabilities }
  } catch {
    return null
  }
}
