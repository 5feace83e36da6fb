/**
 * Hands events over. What is due stands in the events' own rows; jobs and a sweep only say at whose endpoint to look. Events
 * are claimed for all endpoints in one statement, a few for each, so that no endpoint can keep the others waiting: a slow
 * one holds sockets, and neither a worker nor a database connection.
 */
import type { Context } from '../context.ts'
import { readWebhookSecrets } from '../merchants/webhook-secret.ts'
import { type ClaimedEvent, claimDueEvents, listMerchantsWithDueEvents } from '../storage/due-events.ts'
import { attemptDelivery } from './deliveries-attempt.ts'

/** Exchanges at once with one endpoint. For each process: to count over all of them, each would have to wait for the others. */
const AT_ONCE = 4
/** Exchanges at once of the process: as many as 128 endpoints can hold that all hang for the first time. */
const AT_ONCE_IN_ALL = 512

export type DeliveryJob = { merchantId: string; eventId?: string }

export type Deliveries = {
  /** The merchant may have events that are due. */
  wake(merchantId: string): void
  /** Wakes every merchant that has; what a dead worker held is among it once its lease has ended. */
  sweep(): Promise<void>
  /** Claims nothing more, and waits for the exchanges that are going on. */
  stop(): Promise<void>
}

export function startDeliveries(ctx: Context): Deliveries {
  /** Merchants to look at. */
  const woken = new Set<string>()
  /** Exchanges going on for each merchant. */
  const busy = new Map<string, number>()
  const going = new Map<string, Promise<void>>()
  let claiming: Promise<void> | null = null
  let stopped = false

  function wake(merchantId: string): void {
    woken.add(merchantId)
    claim()
  }

  function claim(): void {
    if (claiming || stopped) return
    const wanted = takeWanted()
    if (wanted.length === 0) return
    claiming = claimAndSend(wanted)
      // Whoever was to be looked at is found again by the next sweep.
      .catch((error: unknown) => ctx.log.error({ err: error }, 'due events cannot be claimed'))
      .finally(() => {
        claiming = null
        claim()
      })
  }

  /** Those who have been woken and have room for more, in one order for all processes. */
  function takeWanted(): { merchantId: string; room: number }[] {
    let left = AT_ONCE_IN_ALL - going.size
    const wanted: { merchantId: string; room: number }[] = []
    for (const merchantId of woken) {
      const room = Math.min(AT_ONCE - (busy.get(merchantId) ?? 0), left)
      if (room <= 0) continue
      left -= room
      woken.delete(merchantId)
      wanted.push({ merchantId, room })
    }
    return wanted.sort((one, other) => (one.merchantId < other.merchantId ? -1 : 1))
  }

  async function claimAndSend(wanted: { merchantId: string; room: number }[]): Promise<void> {
    const now = ctx.clock.now()
    const leaseUntil = new Date(now.getTime() + ctx.config.deliveryLeaseSeconds * 1000)
    const events = await claimDueEvents(ctx.db, wanted, now, leaseUntil)
    if (events.length === 0) return
    const secretsOf = await readWebhookSecrets(ctx, [...new Set(events.map(({ merchantId }) => merchantId))])
    for (const event of events) {
      // A lease that has ended for the clock alone: the exchange still goes on here.
      if (going.has(event.id)) continue
      const { merchantId } = event
      busy.set(merchantId, (busy.get(merchantId) ?? 0) + 1)
      going.set(event.id, send(event, secretsOf))
    }
  }

  async function send(event: ClaimedEvent, secretsOf: (merchantId: string) => string[]): Promise<void> {
    const { merchantId, id } = event
    try {
      await attemptDelivery(ctx, event, secretsOf(merchantId))
    } catch (error) {
      ctx.log.error({ err: error, eventId: id }, 'delivery failed; it is made again when its lease ends')
    }
    going.delete(id)
    const left = (busy.get(merchantId) ?? 1) - 1
    if (left > 0) busy.set(merchantId, left)
    else busy.delete(merchantId)
    wake(merchantId)
  }

  return {
    wake,
    async sweep() {
      for (const merchantId of await listMerchantsWithDueEvents(ctx.db, ctx.clock.now())) wake(merchantId)
    },
    async stop() {
      stopped = true
      await claiming
      await Promise.all(going.values())
    },
  }
}
