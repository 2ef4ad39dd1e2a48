/** Returns a sentence that suggests the nearest name, with a space before it; '' if none is near. */
export function suggestNearest(typed: string, names: readonly string[]): string {
  const nearest = findNearest(typed, names)
  return nearest === null ? '' : ` Did you mean \`${nearest}\`?`
}

// Returns the name that is nearest to what was typed, or null if none is near.
function findNearest(typed: string, names: readonly string[]): string | null {
  const ranked = names
    .map(name => ({ name, distance: countEdits(typed, name) }))
    .sort((a, b) => a.distance - b.distance)
  const [nearest] = ranked
  if (nearest === undefined) return null
  const isNear = nearest.distance <= Math.max(1, Math.floor(Math.max(typed.length, nearest.name.length) / 3))
  return isNear ? nearest.name : null
}

// Letters to insert, delete or replace, and neighbours to swap.
function countEdits(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwap =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = current
  }
  return last[to.length] ?? 0
}
