/**
 * How the processor time of a reader grows with its text: the time of twice the text against the time of the text. About 2 is
 * linear, 4 is quadratic. Processor time is used, because other programs on the machine do not change it.
 */

/** The processor's clock may count in steps of some milliseconds, so one measurement takes at least this long. */
const MEASURE_MS = 10
const TRIES_MAX = 30
/** A linear reader stays below this ratio also on a busy machine, whose caches other programs empty. */
export const LINEAR_BELOW = 3.3
/** At or below this ratio the answer is clear. */
const CLEAR = 2.5

/**
 * Compares the shortest of several times of each text, because whatever else this process does can only make one longer. It
 * measures again while the ratio is not clear.
 */
export function growthOf(
  read: (text: string) => void,
  ofChars: (chars: number) => string,
  chars: number,
): number {
  const [short, long] = [ofChars(chars), ofChars(2 * chars)]
  const best = { short: Number.POSITIVE_INFINITY, long: Number.POSITIVE_INFINITY }
  let ratio = Number.POSITIVE_INFINITY
  for (let tried = 0; tried < TRIES_MAX && !(ratio <= CLEAR); tried++) {
    best.short = Math.min(best.short, cpuMs(read, short))
    best.long = Math.min(best.long, cpuMs(read, long))
    ratio = best.long / best.short
  }
  return ratio
}

/** The processor time of one reading, in milliseconds. */
export function cpuMs(read: (text: string) => void, text: string): number {
  for (let times = 1; ; times *= 2) {
    const before = process.threadCpuUsage()
    for (let time = 0; time < times; time++) read(text)
    const { user, system } = process.threadCpuUsage(before)
    const ms = (user + system) / 1_000
    if (ms >= MEASURE_MS) return ms / times
  }
}

/** `part` over and over, cut to so many characters. */
export const repeated = (part: string) => (chars: number) =>
  part.repeat(Math.ceil(chars / part.length)).slice(0, chars)
