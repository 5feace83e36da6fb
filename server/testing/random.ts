/** Random numbers that can be repeated with the same seed. */

/** Returns a whole number from `least` up to, but not including, `end`. */
export type Random = (least: number, end: number) => number

/** The generator is mulberry32: 32 bits of state, which is enough to choose moments and faults. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let bits = Math.imul(state ^ (state >>> 15), state | 1)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
  return (least, end) => least + Math.floor(next() * (end - least))
}

/** Returns so many seeds, beginning with this one. */
export function seedsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index)
}

/** A new seed for each run. The long tests print theirs, so that a failure can be repeated. */
export function freshSeed(): number {
  return Date.now() % 2 ** 31
}
