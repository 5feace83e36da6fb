/**
 * Forwards a merchant's events to a laptop as they are written. It does not read only ids after the last one: events can commit
 * in another order than their ids, so some would be skipped. Instead it reads the same window of time again and again, and
 * remembers which events it has seen.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, systemClock } from '../context.ts'
import { AppError } from '../errors.ts'
import { oldestId } from '../id.ts'
import { getMerchant } from '../merchants/merchant.ts'
import { createOutbound, type Exchange, type Outbound } from '../outbound/outbound.ts'
import { type EventSummary, findEventById, listRecentEvents } from '../storage/events/event-history.ts'
import { adviceOn } from './advice.ts'
import { eventHeaders } from './request.ts'
import { openWebhookSecrets } from './secret.ts'

const POLL_MS = 500
/** Longer than any transaction of the service stays open, and more than the clocks of its processes differ. */
const WINDOW_MS = 300_000

/** `advice`: what to do if the receiver did not accept the event. Empty if it did. */
export type Forwarding = { event: EventSummary; exchange: Exchange; durationMs: number; advice: string }

type Listening = {
  merchantId: string
  forwardTo: string
  /** Also forwards earlier events from this time on. Without it, only new ones are forwarded. */
  since?: Date | undefined
  signal: AbortSignal
}

/**
 * Yields each forwarding when it is done, one after the other, until `signal` aborts. The normal delivery of the events is not
 * affected. @throws AppError not_found for an unknown merchant; validation_failed for an address that is not allowed
 */
export async function listenToEvents(
  ctx: Context,
  listening: Listening,
): Promise<AsyncGenerator<Forwarding>> {
  await getMerchant(ctx, listening.merchantId)
  const outbound = createOutbound([...ctx.config.callbackAllow, 'loopback'])
  outbound.checkUrl(listening.forwardTo)
  return forwardEvents(ctx, outbound, listening)
}

async function* forwardEvents(
  ctx: Context,
  outbound: Outbound,
  { merchantId, forwardTo, since, signal }: Listening,
): AsyncGenerator<Forwarding> {
  const stopped = new Promise<null>((resolve) =>
    signal.addEventListener('abort', () => resolve(null), { once: true }),
  )
  for await (const event of followEvents(ctx, { merchantId, since, signal })) {
    const secrets = await openWebhookSecrets(ctx, merchantId)
    const headers = eventHeaders(event, secrets, systemClock.now())
    const timeoutMs = ctx.config.eventTimeoutSeconds * 1000
    const started = performance.now()
    const exchange = await Promise.race([
      post(outbound, forwardTo, { headers, body: event.body, timeoutMs }),
      stopped,
    ])
    if (!exchange) return
    const durationMs = Math.round(performance.now() - started)
    yield { event, exchange, durationMs, advice: adviceOn(exchange) }
  }
}

type EventRequest = { headers: Record<string, string>; body: string; timeoutMs: number }

/** Some servers listen for `localhost` only on 127.0.0.1, others only on ::1. If one refuses the connection, the other is tried. */
async function post(outbound: Outbound, forwardTo: string, request: EventRequest): Promise<Exchange> {
  const [url = forwardTo, other] = addressesOf(forwardTo)
  const exchange = await outbound.post(url, request)
  if (!other || exchange.kind === 'answered' || !exchange.message.includes('ECONNREFUSED')) return exchange
  const second = await outbound.post(other, request)
  return second.kind === 'answered' ? second : exchange
}

function addressesOf(forwardTo: string): string[] {
  if (!/^http:\/\/localhost(?=[:/?#]|$)/i.test(forwardTo)) return [forwardTo]
  return ['127.0.0.1', '[::1]'].map((host) => forwardTo.replace(/localhost/i, host))
}

/** Yields every event once, and once more each time that it is replayed. */
async function* followEvents(
  ctx: Context,
  { merchantId, since, signal }: Omit<Listening, 'forwardTo'>,
): AsyncGenerator<EventSummary & { body: string }> {
  const windowStart = ctx.clock.now().getTime() - WINDOW_MS
  let from = new Date(Math.min(windowStart, since?.getTime() ?? windowStart))
  let seen: Set<string> | null = null
  while (!signal.aborted) {
    const now = ctx.clock.now()
    const rows = await readRecent(ctx, merchantId, from)
    if (rows) {
      const isNew = (row: Recent) =>
        seen
          ? !seen.has(keyOf(row))
          : since !== undefined && isSince(row, oldestId(ctx.world, 'evt', since), since)
      const fresh = rows.filter(isNew)
      seen = new Set(rows.map(keyOf))
      for (const { id } of fresh) {
        const event = signal.aborted ? null : await findEventById(ctx.db, id)
        if (event) yield event
      }
      // The next window starts from the time before this read. If the clock jumps ahead, no event is skipped.
      from = new Date(now.getTime() - WINDOW_MS)
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => {})
  }
}

/** Returns null while the database cannot be reached. The same window is then read again. */
async function readRecent(ctx: Context, merchantId: string, from: Date): Promise<Recent[] | null> {
  try {
    return await listRecentEvents(ctx.db, merchantId, {
      fromId: oldestId(ctx.world, 'evt', from),
      replayedFrom: from,
    })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'storage_unavailable') throw error
    ctx.log.error({ err: error }, 'the database does not respond; listening continues when it does')
    return null
  }
}

type Recent = { id: string; replayedAt: Date | null }

function keyOf({ id, replayedAt }: Recent): string {
  return `${id} ${replayedAt?.getTime() ?? ''}`
}

function isSince({ id, replayedAt }: Recent, oldest: string, since: Date): boolean {
  return id >= oldest || (replayedAt !== null && replayedAt >= since)
}
