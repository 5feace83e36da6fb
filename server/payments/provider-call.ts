/** Calling a driver: what the driver gets, how long we wait for it, and when we try again. */
import { uptime } from 'node:os'
import { questionTimeoutOf } from '../accounts/call-timeouts.ts'
import { refreshRecordings, witnessFor } from '../accounts/recording.ts'
import {
  type CallPurpose,
  describeRefusal,
  idOf,
  noteAnswer,
  noteRefusal,
  refusalIn,
  retryLaterIn,
} from '../accounts/refusal.ts'
import { noteUnknownWords } from '../accounts/unknown-words.ts'
import { isWrongMode, warnOfMode } from '../accounts/wrong-mode.ts'
import type { Context } from '../context.ts'
import type { UnknownWord } from '../providers/driver/words.ts'
import type { ProviderCall } from '../providers/driver.ts'
import { type GateLane, noteUnwritten, type ProviderHttp } from '../providers/http.ts'
import type { Account } from '../providers/registry.ts'

/**
 * `about`: the payment or saved method, for the exchange log. `signal` ends the call. `requestTimeoutMs`: the limit of each request.
 * `lane`: its class among the requests of its account. `opened` gets the way out when it is first used.
 * `isLate` is asked right before each request is written; if true, nothing is sent. `words` gets those that the driver does not know.
 * `keepState` stores what the order is found with. `hidesAddresses`: the exchange log keeps of each address in a response only the origin.
 */
type About = {
  about?: string | null
  signal?: AbortSignal
  requestTimeoutMs?: number
  lane?: GateLane
  opened?(http: ProviderHttp): void
  isLate?(): boolean
  hidesAddresses?: boolean
  keepState?(state: unknown): Promise<void>
  words?: UnknownWord[]
}

/** `right`: what the call needs the provider's permission for. Absent for a question. */
export type Calling = Omit<About, 'signal' | 'opened' | 'isLate' | 'words'> & {
  timeoutMs: number
  about: string | null
  lane: GateLane
  right?: NonNullable<CallPurpose['right']>
  isTaking?: true
  sendUntil?: Date | undefined
}

/** Returns the account's settings, with those that this deployment adds. */
export function settingsOf(ctx: Context, { driverName, settings }: Account): Record<string, unknown> {
  return { ...ctx.providerDefaults(driverName, settings), ...settings }
}

/** Returns all that a driver may use: its account's settings, the time, and its way out. */
export function providerCall(
  ctx: Context,
  account: Account,
  {
    about = null,
    signal,
    requestTimeoutMs,
    lane,
    opened,
    isLate,
    hidesAddresses,
    keepState,
    words,
  }: About = {},
): ProviderCall {
  const { id, version, live, driver } = account
  const settings = settingsOf(ctx, account)
  let http: ProviderHttp | undefined
  return {
    settings,
    account: {
      id,
      live,
      get cache() {
        return ctx.providers.cacheOf({ id, version })
      },
    },
    get http() {
      const addresses = driver.addresses?.(settings) ?? []
      const from = { id, version, addresses, secrets: secretsOf(driver, settings) }
      if (http) return http
      const limits = {
        ...(lane && { lane }),
        ...(isLate && { isLate }),
        ...(hidesAddresses && { hidesAddresses }),
        ...(requestTimeoutMs !== undefined && { timeoutMs: requestTimeoutMs }),
      }
      http = ctx.providers.open(from, signal ?? new AbortController().signal, about, limits)
      opened?.(http)
      return http
    },
    now: () => ctx.clock.now(),
    noteWord(word) {
      words?.push(word)
    },
    ...(keepState && { keepState }),
    ...witnessFor(ctx, account, about),
    log: (level, message, fields = {}) =>
      ctx.log[level]({ ...fields, accountId: id, ...idOf(about) }, message),
  }
}

function secretsOf({ secrets = [] }: Account['driver'], settings: Record<string, unknown>): string[] {
  return secrets.map((name) => settings[name]).filter((value) => typeof value === 'string')
}

/**
 * Calls a driver, and stops waiting after `timeoutMs`: the requests of the call that are still under way are then aborted, and none
 * is sent any more. `sendUntil`: on the clock of the world; nothing is sent later, because the caller's claim may have ended. An
 * answer of the other mode makes a warning of the payment that the call is about. The operator is told about a refusal that a
 * repetition does not change.
 * @throws Error of the driver, or a TimeoutError
 */
export async function callProvider<Answer>(
  ctx: Context,
  account: Account,
  { timeoutMs, sendUntil, right, isTaking, ...given }: Calling,
  act: (call: ProviderCall) => Promise<Answer>,
): Promise<Answer> {
  let http: ProviderHttp | undefined
  const words: UnknownWord[] = []
  const shown: CallPurpose = { right: right ?? null, isTaking: isTaking ?? false }
  const isLate = latenessOf(ctx, timeoutMs, sendUntil)
  const opened = (used: ProviderHttp) => {
    http = used
  }
  await refreshRecordings(ctx)
  try {
    const answer = await within(timeoutMs, (signal) =>
      act(providerCall(ctx, account, { ...given, signal, opened, isLate, words })),
    )
    const refused = refusalIn(answer)
    if (refused) await noteRefusal(ctx, account, { ...refused, ...shown, about: given.about })
    else if (hasDone(answer)) await noteAnswer(ctx, account, shown)
    else if (http?.wasAnswered()) await noteAnswer(ctx, account, { right: null, isTaking: false })
    return answer
  } catch (error) {
    // The provider may still get a request after we stop waiting for its response.
    if (!isTimeout(error)) noteUnwritten(error, http)
    const refused = refusalIn(error)
    if (refused) await noteRefusal(ctx, account, { ...refused, ...shown, about: given.about })
    if (isWrongMode(error)) await warnOfMode(ctx, account, given.about, error.message)
    throw error
  } finally {
    await noteUnknownWords(ctx, account, words, given.about)
  }
}

/** Whether the provider did what was asked for. Other answers say nothing about the account's rights. */
function hasDone(answer: unknown): boolean {
  const { kind } = (answer ?? {}) as { kind?: unknown }
  return ['redirect', 'form', 'done', 'pending'].some((each) => each === kind)
}

/** The uptime counts the time in which the machine was suspended too. The process's own clock does not. */
function latenessOf({ clock }: Pick<Context, 'clock'>, timeoutMs: number, sendUntil?: Date): () => boolean {
  const until = performance.now() + timeoutMs
  const untilUptime = uptime() + timeoutMs / 1_000
  return () =>
    performance.now() >= until ||
    uptime() >= untilUptime ||
    (sendUntil !== undefined && clock.now() >= sendUntil)
}

/** A question that makes several requests, each within its own limit, ends after this time at the latest. */
const QUESTION_TIMEOUT_MS = 15_000

/** Returns the limits of a question to this account's provider. `about`: the payment or saved method. */
export function limitsOfQuestion(account: Account, about: string, lane: GateLane) {
  const requestTimeoutMs = questionTimeoutOf(account)
  return { timeoutMs: QUESTION_TIMEOUT_MS, requestTimeoutMs, about, lane }
}

export { callbackUrlOf } from '../accounts/callback-address.ts'

/** The codes that a connection fails with. */
const CONNECTION_CODE = /^(E[A-Z]{3,}|UND_ERR_[A-Z_]+|ERR_(TLS|SSL)_[A-Z_]+|CERT_[A-Z_]+)$/

/**
 * Logs why a call failed, and returns the reason in words that a merchant may read: no address, no code and no text of the
 * provider's connection. `about`: the payment or saved method. `callProvider` has logged a refusal already.
 */
export function explainCallFailure(
  ctx: Pick<Context, 'log'>,
  error: unknown,
  { account, about }: { account: string; about: string | null },
): string {
  const refused = refusalIn(error)
  if (refused) return describeRefusal(refused.refusal)
  const untaken = retryLaterIn(error)
  if (untaken) {
    const { message: reason } = untaken
    ctx.log.info({ accountId: account, ...idOf(about), reason }, 'the provider did not take a request')
    return `the provider did not take it: ${reason}`
  }
  ctx.log.info({ accountId: account, ...idOf(about), reason: String(error) }, 'a provider call failed')
  if (error instanceof ProviderTimeout) return error.message
  const { name, code, cause } = error as { name?: unknown; code?: unknown; cause?: { code?: unknown } }
  const isConnection =
    name === 'ProviderHttpError' ||
    [code, cause?.code].some((each) => typeof each === 'string' && CONNECTION_CODE.test(each))
  return isConnection ? 'the provider could not be reached' : "the provider's answer could not be read"
}

/** A provider that did not answer in time. */
class ProviderTimeout extends Error {
  override name = 'TimeoutError'
}

/** Returns the answer of `work`. After `timeoutMs` it aborts the work. @throws Error; TimeoutError if the time was over */
export async function within<Answer>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>()
  const stopping = new AbortController()
  const timer = setTimeout(() => {
    reject(new ProviderTimeout(`the provider did not answer within ${timeoutMs / 1_000} s`))
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

/** Whether we stopped waiting: the provider may still be at work on the call. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}

/** Returns how long to wait before the next call: one second at first, then twice as long each time, up to `maxMs`. */
export function backOffMs(calls: number, maxMs: number): number {
  return Math.min(1_000 * 2 ** calls, maxMs)
}
