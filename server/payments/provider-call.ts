/** Calling a driver: what the driver gets, how long we wait for it, and when we try again. */
import type { Context } from '../context.ts'
import type { ProviderCall } from '../providers/driver.ts'
import type { ProviderHttp } from '../providers/http.ts'
import type { ReadyRoute } from '../providers/registry.ts'

/** `about`: the payment or saved method, for the exchange log. `signal` ends the call. */
type About = { about?: string | null; signal?: AbortSignal }

/** Returns all that a driver may use: its account's settings, the time, and its way out. */
export function providerCall(
  ctx: Context,
  route: ReadyRoute,
  { about = null, signal }: About = {},
): ProviderCall {
  const { id, live, driver } = route
  const settings = { ...ctx.providerDefaults(route.driverName, route.settings), ...route.settings }
  let http: ProviderHttp | undefined
  return {
    settings,
    account: {
      id,
      live,
      get cache() {
        return ctx.providers.cacheOf(id)
      },
    },
    get http() {
      const account = {
        id,
        addresses: driver.addresses?.(settings) ?? [],
        secrets: secretsOf(driver, settings),
      }
      http ??= ctx.providers.open(account, signal ?? new AbortController().signal, about)
      return http
    },
    now: () => ctx.clock.now(),
    log: (level, message, fields = {}) => ctx.log[level]({ ...fields, account: id, about }, message),
  }
}

function secretsOf({ secrets = [] }: ReadyRoute['driver'], settings: Record<string, unknown>): string[] {
  return secrets.map((name) => settings[name]).filter((value) => typeof value === 'string')
}

/**
 * Calls a driver, and stops waiting after `timeoutMs`: the requests of the call that are still under way are then aborted.
 * @throws Error of the driver, or a TimeoutError
 */
export function callProvider<Answer>(
  ctx: Context,
  route: ReadyRoute,
  { timeoutMs, about }: { timeoutMs: number; about: string | null },
  act: (call: ProviderCall) => Promise<Answer>,
): Promise<Answer> {
  return within(timeoutMs, (signal) => act(providerCall(ctx, route, { about, signal })))
}

/** Returns where the provider of this account tells us that something has happened. */
export function callbackUrlOf(ctx: Pick<Context, 'baseUrl'>, { id }: Pick<ReadyRoute, 'id'>): string {
  return `${ctx.baseUrl}/callbacks/${id}`
}

/** Returns the answer of `work`. After `timeoutMs` it aborts the work. @throws Error; TimeoutError if the time was over */
export async function within<Answer>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>()
  const stopping = new AbortController()
  const timer = setTimeout(() => {
    reject(timeoutError(timeoutMs))
    stopping.abort()
  }, timeoutMs)
  try {
    return await Promise.race([work(stopping.signal), timedOut])
  } finally {
    clearTimeout(timer)
    // Whatever the call has left under way is of no use any more.
    stopping.abort()
  }
}

function timeoutError(timeoutMs: number): Error {
  return Object.assign(new Error(`the provider did not answer within ${timeoutMs} ms`), {
    name: 'TimeoutError',
  })
}

/** Whether we stopped waiting: the provider may still be at work on the call. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}

/** Returns how long to wait before the next call: one second at first, then twice as long each time, up to `maxMs`. */
export function backOffMs(calls: number, maxMs: number): number {
  return Math.min(1_000 * 2 ** calls, maxMs)
}
