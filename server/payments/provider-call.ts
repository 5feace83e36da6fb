/** Calling a driver: what the driver gets, how long we wait for it, and when we try again. */
import type { Context } from '../context.ts'
import type { ProviderCall } from '../providers/driver.ts'
import type { Account } from '../providers/registry.ts'

/** Returns all that a driver may use: its account's settings, the time, and its connections to the outside. */
export function providerCall(ctx: Context, account: Account): ProviderCall {
  return { now: () => ctx.clock.now(), settings: account.settings, bank: ctx.bank, cards: ctx.cards }
}

/** The codes that a connection fails with. */
const CONNECTION_CODE = /^(E[A-Z]{3,}|UND_ERR_[A-Z_]+|ERR_(TLS|SSL)_[A-Z_]+|CERT_[A-Z_]+)$/

/** A provider that did not answer in time. */
class ProviderTimeout extends Error {}

/**
 * Logs why a call failed, and returns the reason in words that a merchant may read: no address, no code and no text of the
 * provider's connection.
 */
export function explainCallFailure(ctx: Pick<Context, 'log'>, error: unknown): string {
  ctx.log.info({ reason: String(error) }, 'a provider call failed')
  if (error instanceof ProviderTimeout) return error.message
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  const isConnection = [code, cause?.code].some(
    (each) => typeof each === 'string' && CONNECTION_CODE.test(each),
  )
  return isConnection ? 'the provider could not be reached' : "the provider's answer could not be read"
}

/** Returns the provider's answer. @throws Error if no answer comes within `timeoutMs`; the call itself is not stopped. */
export async function within<Answer>(timeoutMs: number, answer: Promise<Answer>): Promise<Answer> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new ProviderTimeout(`the provider did not answer within ${timeoutMs / 1_000} seconds`)),
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
