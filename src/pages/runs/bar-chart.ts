import { html, svg } from 'lit'

/** A bar of a chart. */
export interface Bar {
  readonly label: string
  readonly value: number
  /** A class that colours it. */
  readonly kind?: string
  /** Its place among the columns, from 0; without one, bars stand side by side. */
  readonly place?: number
}

interface Chart {
  readonly name: string
  /** What the table calls the labels and the values. */
  readonly heads: readonly [string, string]
  readonly bars: readonly Bar[]
  /** The number of columns. */
  readonly columns: number
  /** What is said instead of a chart without bars. */
  readonly empty: string
  /** Prints a value under its bar. By default, it is the number alone. */
  readonly print?: (value: number) => string
}

const height = 100

/** Shows a chart with upright bars, and its figures as a table. */
export function viewBarChart({ name, heads, bars, columns, empty, print = String }: Chart) {
  const max = Math.max(...bars.map(({ value }) => value), 0)
  const viewBar = ({ label, value, kind = '', place }: Bar, index: number) => {
    const size = max === 0 ? 0 : (value / max) * height
    return svg`<rect role="img" aria-label="${label}: ${value}" class="bar ${kind}" width="0.8" height=${size}
      x=${(place ?? index) + 0.1} y=${height - size}><title>${label}: ${value}</title></rect>`
  }
  const isLabelled = bars.every(({ place }) => place === undefined)
  // The bars have the same words as their names.
  const legend = html`<div class="legend" aria-hidden="true">
    ${bars.map(({ label, value }) => html`<span>${label} <b>${print(value)}</b></span>`)}
  </div>`
  const ends = html`<div class="legend ends" aria-hidden="true"><span>1 h ago</span><span>now</span></div>`
  const drawn = html`<svg role="presentation" viewBox="0 0 ${columns} ${height}" preserveAspectRatio="none">
      ${bars.map(viewBar)}
    </svg>
    ${isLabelled ? legend : ends}`
  return html`<figure class="chart" aria-label=${name}>
    <figcaption>${name}</figcaption>
    ${bars.length === 0 ? html`<p class="quiet">${empty}</p>` : drawn}
    <details>
      <summary>Figures</summary>
      <table aria-label=${name}>
        <thead>
          <tr><th scope="col">${heads[0]}</th><th scope="col">${heads[1]}</th></tr>
        </thead>
        <tbody>
          ${bars.map(({ label, value }) => html`<tr><th scope="row">${label}</th><td>${value}</td></tr>`)}
        </tbody>
      </table>
    </details>
  </figure>`
}
