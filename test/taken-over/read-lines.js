/**
 * Calls with each line of a stream. Unlike readline's, a line ends at a line feed alone, and not at U+2028 or U+2029.
 */
export function readLines(stream, onLine) {
  let rest = ''
  stream.setEncoding('utf8').on('data', text => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const line of lines) onLine(line)
  })
  return stream
}
