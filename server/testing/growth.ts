/**
 * How the processor time of a reader grows with its text: the time of twice the text against the time of the text. About 2 is
 * linear, 4 is quadratic. Processor time is used, because other programs on the machine do not change it.
 */

/** The processor's clock may count in steps of some milliseconds, so one measurement takes at least this long. */
const MEASURE_MS = 16
const TRIES = 3

/** Returns the smallest of several ratios, because whatever else this process does can only make one larger. */
export function growthOf(
  read: (text: string) => void,
  ofChars: (chars: number) => string,
  chars: number,
): number {
  const [short, long] = [ofChars(chars), ofChars(2 * chars)]
  const started = performance.now()
  read(short)
  const times = Math.max(1, Math.ceil(MEASURE_MS / Math.max(performance.now() - started, 0.01)))
  const ratios = Array.from({ length: TRIES }, () => cpuMs(read, long, times) / cpuMs(read, short, times))
  return Math.min(...ratios.filter(Number.isFinite))
}

/** The processor time of one reading, in milliseconds, measured over so many readings. */
export function cpuMs(read: (text: string) => void, text: string, times: number): number {
  const before = process.threadCpuUsage()
  for (let time = 0; time < times; time++) read(text)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000 / times
}

/** `part` over and over, cut to so many characters. */
export const repeated = (part: string) => (chars: number) =>
  part.repeat(Math.ceil(chars / part.length)).slice(0, chars)
