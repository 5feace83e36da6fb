/**
 * Hands events over. What is due stands in the events' own rows; jobs and a sweep only say at whose receiver to look. Events
 * are claimed for all receivers in one statement, a few for each, so that no receiver can keep the others waiting: a slow
 * one holds sockets, and neither a worker nor a database connection.
 */
import type { Context } from '../context.ts'
import { readWebhookSecrets } from '../receivers/secret.ts'
import {
  type ClaimedEvent,
  claimDueEvents,
  listMerchantsWithDueEvents,
  releaseEvents,
} from '../storage/events/due-events.ts'
import { attemptDelivery } from './deliveries-attempt.ts'

/** Exchanges at once with one receiver. For each process: to count over all of them, each would have to wait for the others. */
const AT_ONCE = 4
/** Exchanges at once of the process: as many as 128 receivers can hold that all hang for the first time. */
const AT_ONCE_IN_ALL = 512

/** Claimed at once for one receiver: what is not sent yet waits here instead of in a claim of its own. */
const AHEAD = 32
/** Accepted by one receiver and not noted yet: they share a write. */
const UNNOTED_MAX = 64
/** What has waited here for longer than this is given back, well before its lease ends. */
const AHEAD_MS = 5_000

export type DeliveryJob = { merchantId: string; eventId?: string }

/** An event that is claimed and not sent yet. `sendBy`: by the process's own time, as its exchanges are. */
type Held = { event: ClaimedEvent; secretsOf: (merchantId: string) => string[]; sendBy: number }

export type Deliveries = {
  /** The merchant may have events that are due. */
  wake(merchantId: string): void
  /** Wakes every merchant that has; what a dead worker held is among it once its lease has ended. */
  sweep(): Promise<void>
  /** Claims nothing more, and waits for the exchanges that are going on. */
  stop(): Promise<void>
}

/** Counts by merchant; what is at zero takes no room. */
function createCounter() {
  const counts = new Map<string, number>()
  return {
    of: (merchantId: string) => counts.get(merchantId) ?? 0,
    add(merchantId: string, change: 1 | -1) {
      const count = (counts.get(merchantId) ?? 0) + change
      if (count > 0) counts.set(merchantId, count)
      else counts.delete(merchantId)
    },
  }
}

export function startDeliveries(ctx: Context): Deliveries {
  /** Merchants to look at. */
  const woken = new Set<string>()
  /** Claimed, and waiting for a place. */
  const held = new Map<string, Held[]>()
  /** Exchanges going on for each merchant, and those that are over and not noted yet. */
  const busy = createCounter()
  const unnoted = createCounter()
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
    if (going.size >= AT_ONCE_IN_ALL) return []
    const wanted = [...woken].filter((id) => !held.has(id) && hasRoom(id))
    for (const id of wanted) woken.delete(id)
    return wanted.sort().map((merchantId) => ({ merchantId, room: AHEAD }))
  }

  async function claimAndSend(wanted: { merchantId: string; room: number }[]): Promise<void> {
    const now = ctx.clock.now()
    const leaseUntil = new Date(now.getTime() + ctx.config.deliveryLeaseSeconds * 1000)
    const claimed = await claimDueEvents(ctx.db, wanted, now, leaseUntil)
    if (claimed.length === 0) return
    const merchantIds = [...new Set(claimed.map(({ merchantId }) => merchantId))]
    const secretsOf = await readWebhookSecrets(ctx, merchantIds)
    const sendBy = performance.now() + AHEAD_MS
    for (const event of claimed) {
      // A lease that has ended for the clock alone: the exchange still goes on here.
      if (going.has(event.id)) continue
      const waiting = held.get(event.merchantId) ?? []
      held.set(event.merchantId, waiting)
      waiting.push({ event, secretsOf, sendBy })
    }
    for (const merchantId of merchantIds) sendHeld(merchantId)
  }

  function hasRoom(merchantId: string): boolean {
    return busy.of(merchantId) < AT_ONCE && unnoted.of(merchantId) < UNNOTED_MAX
  }

  /** Sends what is held for a receiver, as far as there is room. */
  function sendHeld(merchantId: string): void {
    const waiting = held.get(merchantId) ?? []
    while (waiting.length > 0 && hasRoom(merchantId)) {
      const next = waiting.shift() as Held
      if (next.sendBy < performance.now()) {
        giveBack(merchantId, [next, ...waiting])
        return
      }
      going.set(next.event.id, send(next))
    }
    if (waiting.length === 0) held.delete(merchantId)
  }

  /** What is not going to be sent here and now may be claimed again, by whomever. */
  function giveBack(merchantId: string, waiting: Held[]): void {
    held.delete(merchantId)
    if (waiting.length === 0) return
    const returned = releaseEvents(
      ctx.db,
      waiting.map(({ event }) => event.id),
    )
    // Their leases end by themselves if it comes to nothing.
    const done = returned.catch((error: unknown) =>
      ctx.log.error({ err: error }, 'events cannot be given back'),
    )
    const key = `back ${merchantId}`
    going.set(
      key,
      done.finally(() => going.delete(key)),
    )
  }

  async function send({ event, secretsOf }: Held): Promise<void> {
    const { merchantId, id } = event
    busy.add(merchantId, 1)
    const attempt = await made(() => attemptDelivery(ctx, event, secretsOf(merchantId)), id)
    // Its place is free once it was accepted. One that failed keeps it: the receiver may be open when that is noted.
    if (attempt?.accepted) {
      busy.add(merchantId, -1)
      unnoted.add(merchantId, 1)
      if (!stopped) sendHeld(merchantId)
    }
    if (attempt) await made(attempt.note, id)
    if (attempt?.accepted) unnoted.add(merchantId, -1)
    else {
      busy.add(merchantId, -1)
      // What may be sent there now, and when, is for the next claim to say.
      giveBack(merchantId, held.get(merchantId) ?? [])
    }
    going.delete(id)
    if (!stopped) sendHeld(merchantId)
    wake(merchantId)
  }

  async function made<Result>(work: () => Promise<Result>, eventId: string): Promise<Result | null> {
    try {
      return await work()
    } catch (error) {
      ctx.log.error({ err: error, eventId }, 'delivery failed; it is made again when its lease ends')
      return null
    }
  }

  return {
    wake,
    async sweep() {
      for (const merchantId of await listMerchantsWithDueEvents(ctx.db, ctx.clock.now())) wake(merchantId)
    },
    async stop() {
      stopped = true
      await claiming
      for (const [merchantId, waiting] of held) giveBack(merchantId, waiting)
      while (going.size > 0) await Promise.all(going.values())
    },
  }
}
