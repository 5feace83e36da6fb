/** Calling a driver: what the driver gets, how long we wait for it, and when we try again. */
import type { Context } from '../context.ts'
import type { ProviderCall } from '../providers/driver.ts'
import type { Account } from '../providers/registry.ts'

/** Returns all that a driver may use: its account's settings, the time, and its connections to the outside. */
export function providerCall(ctx: Context, account: Account): ProviderCall {
  return { now: () => ctx.clock.now(), settings: account.settings, bank: ctx.bank, cards: ctx.cards }
}

/** Returns the provider's answer. @throws Error if no answer comes within `timeoutMs`; the call itself is not stopped. */
export async function within<Answer>(timeoutMs: number, answer: Promise<Answer>): Promise<Answer> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error(`the provider did not answer within ${timeoutMs} ms`)),
    timeoutMs,
  )
  try {
    return await Promise.race([answer, timedOut])
  } finally {
    clearTimeout(timer)
  }
}

/** Returns how long to wait before the next call: one second at first, then twice as long each time, up to `maxMs`. */
export function backOffMs(calls: number, maxMs: number): number {
  return Math.min(1_000 * 2 ** calls, maxMs)
}
