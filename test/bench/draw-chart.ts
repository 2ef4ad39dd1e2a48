export interface Chart {
  readonly title: string
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[]
  /** What stretches of the values along the x axis are, in order. */
  readonly spans: readonly { readonly name: string; readonly values: number }[]
}

const [width, height] = [800, 360]
const margin = { left: 60, right: 20, top: 40, bottom: 40 }
const colours = ['#1f6feb', '#d1681d', '#2f855a', '#8250df']
const gridLines = 5

/** A line chart as SVG, from zero up. */
export function drawChart({ title, series, spans }: Chart): string {
  const count = Math.max(2, ...series.map(({ values }) => values.length))
  const top = niceTop(Math.max(1, ...series.flatMap(({ values }) => values)))
  const x = (i: number) => margin.left + (i * (width - margin.left - margin.right)) / (count - 1)
  const y = (value: number) => height - margin.bottom - (value * (height - margin.top - margin.bottom)) / top
  const grid = Array.from({ length: gridLines + 1 }, (_, i) => {
    const value = (top * i) / gridLines
    return `<line x1="${margin.left}" y1="${y(value)}" x2="${width - margin.right}" y2="${y(value)}" stroke="#ddd"/>
<text x="${margin.left - 8}" y="${y(value) + 4}" text-anchor="end">${Math.round(value)}</text>`
  })
  const lines = series.map(({ name, values }, i) => {
    const points = values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' ')
    const colour = colours[i % colours.length]
    return `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="2"/>
<text x="${width - margin.right - 160 * (series.length - i) + 160}" y="22"
  text-anchor="end" fill="${colour}">${toXmlText(name)}</text>`
  })
  let from = 0
  const labels = spans.map(({ name, values }) => {
    const middle = x(from + (values - 1) / 2)
    from += values
    const end =
      from < count
        ? `<line x1="${x(from - 0.5)}" y1="${margin.top}"
          x2="${x(from - 0.5)}" y2="${height - margin.bottom}" stroke="#999" stroke-dasharray="4"/>`
        : ''
    return `${end}<text x="${middle}" y="${height - 14}" text-anchor="middle">${toXmlText(name)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"
    font-family="sans-serif" font-size="13" fill="#333">
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="${margin.left}" y="22">${toXmlText(title)}</text>
${[...grid, ...lines, ...labels].join('\n')}
</svg>
`
}

// The next round number, so that the grid has whole ones.
function niceTop(most: number): number {
  const step = 10 ** Math.floor(Math.log10(most)) / 2
  return Math.ceil(most / step) * step
}

function toXmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
