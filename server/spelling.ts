/** Recognizes misspelt names, such as those of settings and of fields in requests, and finds the name that was meant. */

/** Short names resemble many other variables. So up to this length only two swapped letters count as a misspelling. */
const SHORT_CHARS = 6
/** Names of at least this length may have two wrong letters. */
const LONG_CHARS = 12
/** A name with more wrong letters than this does not count as a misspelling. */
const DISTANCE_MAX = 2

/** Returns the known name of which this one is a misspelling, or null if it resembles none. */
export function findMeant(name: string, known: readonly string[]): string | null {
  const [nearest] = known
    // Each letter more or less is one difference. Most names are skipped here, because comparing letters takes time at each start.
    .filter((each) => Math.abs(each.length - name.length) <= DISTANCE_MAX)
    .map((each) => ({ each, distance: distanceOf(name, each) }))
    .filter(({ each, distance }) => isMisspelling(name, each, distance))
    .sort((one, other) => one.distance - other.distance)
  return nearest?.each ?? null
}

/** Returns the known name with the fewest different letters. */
export function findNearest(name: string, known: readonly string[]): string | undefined {
  return known.toSorted((one, other) => distanceOf(name, one) - distanceOf(name, other))[0]
}

function isMisspelling(name: string, known: string, distance: number): boolean {
  if (distance === 0) return true
  if (known.length <= SHORT_CHARS) return distance === 1 && haveSameLetters(name, known)
  return distance <= (known.length >= LONG_CHARS ? DISTANCE_MAX : 1)
}

function haveSameLetters(one: string, other: string): boolean {
  return [...one].sort().join('') === [...other].sort().join('')
}

/** Returns how many letters are missing, added, replaced or swapped with their neighbour (optimal string alignment). */
function distanceOf(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      const swapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const bySwap = i > 1 && j > 1 && swapped ? (before[j - 2] ?? 0) + 1 : replaced
      next.push(Math.min(replaced, bySwap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[other.length] ?? 0
}
