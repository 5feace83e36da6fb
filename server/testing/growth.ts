/**
 * Measures how the processor time of a parser grows each time its text doubles. About 2 is linear, 4 is quadratic. The long text is
 * eight times the short one, because a single step, such as the first collection of garbage, would decide over one doubling alone. The
 * time that other programs take on the machine is not measured.
 */

const DOUBLINGS = 3
const MEASURE_MS = 1
/** Every ratio is of at least this many measurements of each text, so that a cold start or an interruption does not decide. */
const TRIES_MIN = 5
/** A ratio that is not clear is measured on for this much processor time: on a busy machine a good measurement is rarer. */
const DOUBT_MS = 2_000
/** A linear parser stays below this ratio even on a busy machine, where other programs empty the caches. */
export const LINEAR_BELOW = 3.3
/** At or below this ratio the result is clearly linear. */
const CLEAR = 2.5

/**
 * Measures the two texts in turns and compares the shortest time of each, because other work of this process can only make a
 * measurement longer. Repeats the measurements while the ratio is above `clear`.
 */
export function growthOf(
  read: (text: string) => void,
  ofChars: (chars: number) => string,
  chars: number,
  clear = CLEAR,
): number {
  const [short, long] = [ofChars(chars), ofChars(2 ** DOUBLINGS * chars)]
  const best = { short: Number.POSITIVE_INFINITY, long: Number.POSITIVE_INFINITY }
  const start = cpuMs()
  for (let tried = 1; ; tried++) {
    best.short = Math.min(best.short, cpuMsOf(read, short))
    best.long = Math.min(best.long, cpuMsOf(read, long))
    const ratio = (best.long / best.short) ** (1 / DOUBLINGS)
    if (tried >= TRIES_MIN && (ratio <= clear || cpuMs() - start > DOUBT_MS)) return ratio
  }
}

/** Returns the processor time of one call, in milliseconds. */
function cpuMsOf(read: (text: string) => void, text: string): number {
  const enough = performance.now() + MEASURE_MS
  const start = cpuMs()
  let times = 0
  do {
    read(text)
    times++
  } while (performance.now() < enough)
  return (cpuMs() - start) / times
}

/**
 * Returns the processor time of this thread so far, in milliseconds. Linux updates it only every 4 ms and when the thread waits.
 * So the thread waits for a moment, until the time is updated.
 */
function cpuMs(): number {
  const before = totalCpu()
  for (;;) {
    Atomics.wait(neverNotified, 0, 0, 0.05)
    const now = totalCpu()
    if (now > before) return now / 1_000
  }
}

const neverNotified = new Int32Array(new SharedArrayBuffer(4))

function totalCpu(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

/** Repeats `part` up to exactly this many characters. */
export const repeated = (part: string) => (chars: number) =>
  part.repeat(Math.ceil(chars / part.length)).slice(0, chars)
