/** Deletes old events, mails, lines of the exchange log and of histories, in small batches. Warns about events that were never delivered. */
import { type Context, systemClock } from '../context.ts'
import { oldestId } from '../id.ts'
import { isOpen, STATUS_TABLE, WITHOUT_EVENT } from '../payments/status.ts'
import { deleteFullBuckets } from '../storage/access/shared-buckets.ts'
import { deleteOldUnknownSignIns } from '../storage/access/unknown-sign-ins.ts'
import { deleteOldEvents } from '../storage/events/due-events.ts'
import { deleteOldExchanges } from '../storage/exchanges.ts'
import { deleteOldChanges } from '../storage/forgetting/old-changes.ts'
import { deleteOldMails } from '../storage/mails/mails.ts'
import { deleteUnusedPictures, notePicturesUnused } from '../storage/merchants/branding.ts'
import { noteTestPayments } from '../storage/merchants/onboarding.ts'
import { deleteExpiredLinks } from '../storage/orders/links.ts'
import { deleteOldUploads } from '../storage/reports/uploads.ts'
import { deleteOldSums } from '../storage/returns/returned-sums.ts'

const BATCH = 500
const BATCHES_MAX = 100
/** Tries to sign in with an address that nobody has are listed for this long. */
const UNKNOWN_SIGN_INS_MS = 30 * 86_400_000
/** No day lasts longer in any time zone. An operation that fails later leaves no sum any more. */
const SUMS_MS = 7 * 86_400_000
/** No page shows an upload for longer. */
const UPLOADS_MS = 3_600_000
const OPEN_STATUSES = (Object.keys(STATUS_TABLE) as (keyof typeof STATUS_TABLE)[]).filter(isOpen)

/** Deletes the events that are older than EVENT_RETENTION and will not be sent any more, with their deliveries. */
export async function dropOldEvents(ctx: Context): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - ctx.config.eventRetentionSeconds * 1000)
  const beforeEventId = oldestId(ctx.world, 'evt', before)
  // Onboarding must know that a test payment's event was accepted. This is stored before the event is deleted.
  if (ctx.world === 'sandbox') await noteTestPayments(ctx.db, beforeEventId)
  const undelivered = new Map<string, number>()
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    const dropped = await deleteOldEvents(ctx.db, beforeEventId, BATCH)
    for (const { merchantId, state } of dropped)
      if (state !== 'delivered') undelivered.set(merchantId, (undelivered.get(merchantId) ?? 0) + 1)
    if (dropped.length < BATCH) break
  }
  for (const [merchantId, events] of undelivered)
    ctx.log.warn(
      { merchantId, events, before },
      'undelivered events were deleted because they are older than EVENT_RETENTION',
    )
}

/** Deletes lines of the exchange log that are older than EXCHANGE_RETENTION. */
export async function dropOldExchanges(ctx: Context): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - ctx.config.exchangeRetentionSeconds * 1000)
  for (let batch = 0; batch < BATCHES_MAX; batch++)
    if ((await deleteOldExchanges(ctx.db, before, BATCH)) < BATCH) return
}

/** Deletes the rows of limits that nobody has used up, and old traces of unknown sign-ins. Both worlds share them. */
export async function dropOldTries({ db }: Context): Promise<void> {
  await deleteOldUnknownSignIns(db, new Date(systemClock.now().getTime() - UNKNOWN_SIGN_INS_MS))
  for (let batch = 0; batch < BATCHES_MAX; batch++) if ((await deleteFullBuckets(db, BATCH)) < BATCH) return
}

/** Deletes files of statements that somebody has uploaded and did not store. */
export async function dropOldUploads(ctx: Context): Promise<void> {
  await deleteOldUploads(ctx.db, new Date(ctx.clock.now().getTime() - UPLOADS_MS))
}

/** Deletes links into order books that have ended. */
export async function dropOldLinks(ctx: Context): Promise<void> {
  for (let batch = 0; batch < BATCHES_MAX; batch++)
    if ((await deleteExpiredLinks(ctx.db, ctx.clock.now(), BATCH)) < BATCH) return
}

/** Deletes the history of payments that are older than CHANGE_RETENTION and have not changed since, but for its beginning and its last line. */
export async function dropOldChanges(ctx: Context): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - ctx.config.changeRetentionSeconds * 1000)
  const beforeId = oldestId(ctx.world, 'pay', before)
  const given = { before, beforeId, open: OPEN_STATUSES, silent: WITHOUT_EVENT, limit: BATCH }
  for (let batch = 0; batch < BATCHES_MAX; batch++)
    if ((await deleteOldChanges(ctx.db, given)).seen < BATCH) return
}

/** Pages that were open, and mails that were sent, still show a picture for this long after it was replaced. */
const UNUSED_PICTURE_MS = 30 * 24 * 3_600_000

/** Deletes pictures that no shop and no product of any world has shown for 30 days. */
export async function dropUnusedPictures(ctx: Context): Promise<void> {
  // Both worlds share the pictures, so the sandbox's clock does not count.
  const now = systemClock.now()
  await notePicturesUnused(ctx.db, now)
  const before = new Date(now.getTime() - UNUSED_PICTURE_MS)
  for (let batch = 0; batch < BATCHES_MAX; batch++)
    if ((await deleteUnusedPictures(ctx.db, before, BATCH)) < BATCH) return
}

/** Deletes what people and tokens returned on days that are over. */
export async function dropOldSums(ctx: Context): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - SUMS_MS).toISOString().slice(0, 10)
  for (let batch = 0; batch < BATCHES_MAX; batch++)
    if ((await deleteOldSums(ctx.db, before, BATCH)) < BATCH) return
}

/** Deletes mails that are sent or given up, after the time of the events. */
export async function dropOldMails(ctx: Context): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - ctx.config.eventRetentionSeconds * 1000)
  for (let batch = 0; batch < BATCHES_MAX; batch++)
    if ((await deleteOldMails(ctx.db, oldestId(ctx.world, 'mal', before), BATCH)) < BATCH) return
}
