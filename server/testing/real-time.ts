/**
 * What goes by the time since the start of the process, and not by a context's clock: caches, the pauses of breakers, permits of rate
 * limits, and the clock of the machine. A test lets this time pass here, and waits for nothing.
 */
const realNow = performance.now.bind(performance)
let aheadMs = 0
let heldAt: number | null = null
performance.now = () => (heldAt ?? realNow()) + aheadMs

/** For everything in this process, until the Kassa of the test closes. */
export function passRealTime(ms: number): void {
  aheadMs += ms
}

/** Until the work has ended this time passes only by `passRealTime`, so that no cached answer lapses because the machine is busy. */
export async function holdRealTime<Result>(work: () => Promise<Result>): Promise<Result> {
  heldAt = realNow()
  try {
    return await work()
  } finally {
    heldAt = null
  }
}

/** No cached answer of an installation, a product, a merchant or its branding lives longer. */
export const forgetCached = (): void => passRealTime(1_000)

/** For the harness: the next file of this process begins with the real time. */
export function endPassedTime(): void {
  aheadMs = 0
}
