/** What a driver is handed: this route's settings and the ways out, and nothing else of Kassa. */
import type { Context } from '../context.ts'
import type { ProviderCall } from '../providers/driver.ts'
import type { ReadyRoute } from '../providers/registry.ts'

export function providerCall(ctx: Context, route: ReadyRoute): ProviderCall {
  return { now: () => ctx.clock.now(), settings: route.settings, bank: ctx.bank, cards: ctx.cards }
}

/** The provider's answer, if it comes within `timeoutMs`. @throws Error if it does not; the call itself goes on. */
export async function within<Answer>(timeoutMs: number, answer: Promise<Answer>): Promise<Answer> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error(`the provider did not answer within ${timeoutMs} ms`)),
    timeoutMs,
  )
  try {
    return await Promise.race([answer, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

/** How long to wait before a provider is asked again: a second at first, then twice as long each time, up to `mostMs`. */
export function backOffMs(attempts: number, mostMs: number): number {
  return Math.min(1_000 * 2 ** attempts, mostMs)
}
