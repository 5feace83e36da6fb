/**
 * Delivers events. The events' own rows say what is due; jobs and a sweep only name the merchants to look at. One statement
 * claims a few events for each of these merchants, so no receiver can delay the others: a slow receiver holds sockets, but no
 * worker and no database connection.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { readSecretsOfMerchants } from '../receivers/secret.ts'
import {
  type ClaimedEvent,
  claimDueEvents,
  listMerchantsWithDueEvents,
  releaseEvents,
} from '../storage/events/due-events.ts'
import { findReceiver } from '../storage/events/receivers.ts'
import { attemptDelivery } from './deliveries-attempt.ts'
import { createDeliveryLoad, type DeliveryLoad } from './delivery-load.ts'

/** How many events are claimed at once for one receiver. They wait in this process until the receiver has room. */
const CLAIM_MAX = 32
/** The next events are claimed while so many still wait, so that the receiver does not wait for the claim. */
const CLAIM_AGAIN_AT = 16
/** An event that has waited in this process for longer is released, well before its lease ends. */
const WAIT_MAX_MS = 5_000
/** After that long the receiver is looked up again, because its address may be another one by now. */
const CURRENT_MS = 800
/** In the sandbox, beside a busy live world: how many receivers and events one claim takes, and how long the next claim waits for them. */
const SCARCE = { receivers: 4, events: 4, waitMs: 50 }

export type DeliveryJob = { merchantId: string; eventId?: string }

/** An event that is claimed and not sent yet. `claimedAt`: in ms of real time, as the exchanges are. */
type Waiting = { event: ClaimedEvent; secretsOf: (merchantId: string) => string[]; claimedAt: number }

/** `woken`: merchants to look at. `waiting`: claimed events, by merchant. `claiming`: the claim that is running. */
type Dispatcher = {
  ctx: Context
  load: DeliveryLoad
  woken: Set<string>
  waiting: Map<string, Waiting[]>
  claiming: Promise<void> | null
  stopped: boolean
}

export type Deliveries = {
  /** The merchant may have due events. */
  wake(merchantId: string): void
  /** Wakes every merchant with due events. The events of a dead worker are among them after their leases have ended. */
  sweep(): Promise<void>
  /** Claims nothing more, and waits for the running exchanges. */
  stop(): Promise<void>
}

export function startDeliveries(ctx: Context): Deliveries {
  const load = createDeliveryLoad()
  const own: Dispatcher = {
    ctx,
    load,
    woken: new Set(),
    waiting: new Map(),
    claiming: null,
    stopped: false,
  }
  return {
    wake: (merchantId) => wake(own, merchantId),
    async sweep() {
      for (const merchantId of await listMerchantsWithDueEvents(ctx.db, ctx.clock.now()))
        wake(own, merchantId)
    },
    async stop() {
      own.stopped = true
      await own.claiming
      for (const merchantId of own.waiting.keys()) release(own, merchantId)
      await load.settle()
    },
  }
}

function wake(own: Dispatcher, merchantId: string): void {
  own.woken.add(merchantId)
  claim(own)
}

/** Starts a claim, unless one is running. The end of each claim starts the next. */
function claim(own: Dispatcher): void {
  if (own.claiming || own.stopped || own.load.isFull()) return
  const { share } = own.ctx
  const isScarce = share.isScarce()
  const merchantIds = [...own.woken]
    .filter((id) => (own.waiting.get(id)?.length ?? 0) <= CLAIM_AGAIN_AT && own.load.mayClaim(id))
    .slice(0, isScarce ? SCARCE.receivers : undefined)
  if (merchantIds.length === 0) return
  for (const id of merchantIds) own.woken.delete(id)
  own.claiming = share
    .run(async () => {
      await claimAndSend(own, merchantIds, isScarce ? SCARCE.events : CLAIM_MAX)
      if (isScarce) await Promise.race([own.load.settle(), sleep(SCARCE.waitMs)])
    })
    // The next sweep finds these merchants again.
    .catch((error: unknown) => own.ctx.log.error({ err: error }, 'due events cannot be claimed'))
    .finally(() => {
      own.claiming = null
      claim(own)
    })
}

async function claimAndSend(own: Dispatcher, merchantIds: string[], room: number): Promise<void> {
  const { ctx, load, waiting } = own
  const now = ctx.clock.now()
  const leaseUntil = new Date(now.getTime() + ctx.config.deliveryLeaseSeconds * 1000)
  // All processes claim in the same order, so that they do not wait for each other's rows in a circle.
  const wanted = merchantIds.sort().map((merchantId) => ({ merchantId, room }))
  const claimed = await claimDueEvents(ctx.db, wanted, now, leaseUntil)
  if (claimed.length === 0) return
  const claimedFor = [...new Set(claimed.map(({ merchantId }) => merchantId))]
  const secretsOf = await readSecretsOfMerchants(ctx, claimedFor)
  const claimedAt = performance.now()
  for (const event of claimed) {
    // The sandbox's clock can pass the end of a lease while this process is still sending the event.
    if (load.isRunning(event.id)) continue
    const line = waiting.get(event.merchantId) ?? []
    waiting.set(event.merchantId, line)
    line.push({ event, secretsOf, claimedAt })
  }
  for (const merchantId of claimedFor) sendWaiting(own, merchantId)
}

/** Sends the waiting events of a merchant, as far as its receiver has room. */
function sendWaiting(own: Dispatcher, merchantId: string): void {
  const line = own.waiting.get(merchantId) ?? []
  while (own.load.hasRoom(merchantId)) {
    const [next] = line
    if (!next) break
    if (performance.now() > next.claimedAt + WAIT_MAX_MS) {
      release(own, merchantId)
      return
    }
    line.shift()
    own.load.run(next.event.id, send(own, next), () => {
      if (!own.stopped) sendWaiting(own, merchantId)
      wake(own, merchantId)
    })
  }
  if (line.length === 0) own.waiting.delete(merchantId)
}

/** Releases the waiting events of a merchant, so that any process may claim them. */
function release({ ctx, load, waiting }: Dispatcher, merchantId: string): void {
  const line = waiting.get(merchantId) ?? []
  waiting.delete(merchantId)
  if (line.length === 0) return
  const ids = line.map(({ event }) => event.id)
  // If the release fails, the leases end by themselves.
  const released = releaseEvents(ctx.db, ids).catch((error: unknown) =>
    ctx.log.error({ err: error }, 'claimed events cannot be released'),
  )
  load.run(line, released)
}

async function send(own: Dispatcher, next: Waiting): Promise<void> {
  const { ctx, load, waiting } = own
  const { event, secretsOf } = next
  const { merchantId } = event
  load.exchanges.add(merchantId, 1)
  if (await logFailure(ctx, event, () => hasMoved(ctx, next))) {
    load.exchanges.add(merchantId, -1)
    waiting.set(merchantId, [next, ...(waiting.get(merchantId) ?? [])])
    release(own, merchantId)
    return
  }
  const attempt = await logFailure(ctx, event, () => attemptDelivery(ctx, event, secretsOf(merchantId)))
  if (attempt?.accepted) {
    // Only an accepted event makes room before it is recorded. After a failed one, the record may pause the receiver.
    load.exchanges.add(merchantId, -1)
    load.unrecorded.add(merchantId, 1)
    if (!own.stopped) sendWaiting(own, merchantId)
  }
  if (attempt) await logFailure(ctx, event, attempt.note)
  if (attempt?.accepted) load.unrecorded.add(merchantId, -1)
  else {
    load.exchanges.add(merchantId, -1)
    // The next claim decides what may be sent to this receiver now.
    release(own, merchantId)
  }
}

/** Whether the shop has another address than the one for which the event was claimed. The next claim then takes that one. */
async function hasMoved({ db }: Context, { event, claimedAt }: Waiting): Promise<boolean> {
  if (performance.now() <= claimedAt + CURRENT_MS) return false
  return (await findReceiver(db, event.merchantId))?.url !== event.url
}

async function logFailure<Result>(
  ctx: Context,
  { id: eventId, paymentId }: ClaimedEvent,
  work: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await work()
  } catch (error) {
    ctx.log.error({ err: error, paymentId, eventId }, 'delivery failed; it is repeated when its lease ends')
    return null
  }
}
