/**
 * Measures how the processor time of a parser grows with its text: the time for twice the text, divided by the time for the text.
 * About 2 is linear, 4 is quadratic. Other programs on the machine do not change the processor time.
 */

/** The processor's clock may count in steps of some milliseconds, so one measurement takes at least this long. */
const MEASURE_MS = 10
const TRIES_MAX = 30
/** A linear parser stays below this ratio even on a busy machine, where other programs empty the caches. */
export const LINEAR_BELOW = 3.3
/** At or below this ratio the result is clearly linear. */
const CLEAR = 2.5

/**
 * Compares the shortest of several measurements of each text, because other work of this process can only make a measurement
 * longer. Repeats the measurements while the ratio is above `clear`.
 */
export function growthOf(
  read: (text: string) => void,
  ofChars: (chars: number) => string,
  chars: number,
  clear = CLEAR,
): number {
  const [short, long] = [ofChars(chars), ofChars(2 * chars)]
  const best = { short: Number.POSITIVE_INFINITY, long: Number.POSITIVE_INFINITY }
  let ratio = Number.POSITIVE_INFINITY
  for (let tried = 0; tried < TRIES_MAX && !(ratio <= clear); tried++) {
    best.short = Math.min(best.short, cpuMs(read, short))
    best.long = Math.min(best.long, cpuMs(read, long))
    ratio = best.long / best.short
  }
  return ratio
}

/** Returns the processor time of one call, in milliseconds. */
export function cpuMs(read: (text: string) => void, text: string): number {
  for (let times = 1; ; times *= 2) {
    const before = process.threadCpuUsage()
    for (let time = 0; time < times; time++) read(text)
    const { user, system } = process.threadCpuUsage(before)
    const ms = (user + system) / 1_000
    if (ms >= MEASURE_MS) return ms / times
  }
}

/** Repeats `part` up to exactly this many characters. */
export const repeated = (part: string) => (chars: number) =>
  part.repeat(Math.ceil(chars / part.length)).slice(0, chars)
